package dev.laneway.ops.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On what kernels wrote, in several kinds of containers, and on this machine. */
class HostSourceTest {
    private static final long PID = 4711;
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @TempDir
    private Path directory;

    private void file(String path, String text) throws IOException {
        Path file = directory.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private Sample read(Path... volumes) {
        try (HostSource source =
                new HostSource(PID, List.of(volumes), directory.resolve("proc"), directory.resolve("sys"))) {
            return source.read(LIMIT);
        }
    }

    private static Metric cgroup(String name) {
        return Metric.of(Groups.CGROUP, name);
    }

    /** Of a service of systemd on Linux 6.1, limits at the service, with a disk of two partitions. */
    private void service() throws IOException {
        file("proc/4711/cgroup", "0::/system.slice/orders.service\n");
        String cgroup = "sys/fs/cgroup/system.slice/orders.service/";
        file(cgroup + "memory.max", "4294967296\n");
        file(cgroup + "memory.current", "3221225472\n");
        file(cgroup + "memory.stat", "anon 1610612736\nfile 1476395008\nkernel 33554432\nkernel_stack 1835008\n");
        file(cgroup + "memory.events", "low 0\nhigh 0\nmax 812\noom 2\noom_kill 1\noom_group_kill 0\n");
        file(cgroup + "cpu.max", "250000 100000\n");
        file(cgroup + "cpu.stat", "usage_usec 91\nuser_usec 60\nnr_periods 6000\nnr_throttled 120\nthrottled_usec 9\n");
        file(
                cgroup + "io.stat",
                "259:0 rbytes=409600 wbytes=819200 rios=100 wios=50 dbytes=0 dios=0\n8:16 rbytes=1 wbytes=2\n");
        file("sys/fs/cgroup/system.slice/memory.max", "max\n");
        file("sys/fs/cgroup/system.slice/memory.current", "9999999999\n");
        file("sys/fs/cgroup/system.slice/cpu.max", "max 100000\n");
        file("proc/diskstats", """
               7       0 loop0 14 0 34 0 0 0 0 0 0 4 0 0 0 0 0 0 0
             259       0 nvme0n1 1000 5 16000 700 2000 9 64000 900 0 1200 1600 0 0 0 0 0 0
             259       1 nvme0n1p1 990 5 15000 690 2000 9 64000 900 0 1190 1590 0 0 0 0 0 0
            """);
        Files.createDirectories(directory.resolve("sys/block/nvme0n1"));
        file("proc/4711/io", "rchar: 5\nwchar: 6\nread_bytes: 12288\nwrite_bytes: 24576\ncancelled_write_bytes: 0\n");
        file(
                "proc/4711/maps",
                "7f1-7f2 r-xp 00000000 103:01 42 /usr/lib/x86_64-linux-gnu/libjemalloc.so.2\n7f3-7f4 rw-p 0 00:00 0\n");
    }

    @Test
    @DisplayName("B83 A service's cgroup of version 2, its disk, its allocator and its volume are told")
    void service2() throws IOException {
        service();
        Sample sample = read(directory, directory.resolve("missing"));
        assertThat(sample.source()).isEqualTo("host of pid 4711");
        Map<String, String> disk = Map.of("device", "nvme0n1");
        assertThat(sample.numbers())
                .containsEntry(cgroup("memory-max-bytes"), 4294967296.0)
                .containsEntry(cgroup("memory-current-bytes"), 3221225472.0)
                .containsEntry(cgroup("memory-file-bytes"), 1476395008.0)
                .containsEntry(cgroup("memory-anon-bytes"), 1610612736.0)
                .containsEntry(cgroup("oom-kills-total"), 1.0)
                .containsEntry(cgroup("cpu-cores"), 2.5)
                .containsEntry(cgroup("cpu-periods-total"), 6000.0)
                .containsEntry(cgroup("cpu-throttled-total"), 120.0)
                .containsEntry(Metric.of(Groups.CGROUP, "read-bytes-total", disk), 409600.0)
                .containsEntry(Metric.of(Groups.CGROUP, "written-bytes-total", disk), 819200.0)
                .containsEntry(Metric.of(Groups.CGROUP, "reads-total", disk), 100.0)
                .containsEntry(Metric.of(Groups.CGROUP, "writes-total", disk), 50.0)
                .containsEntry(Metric.of(Groups.CGROUP, "read-bytes-total", Map.of("device", "8:16")), 1.0)
                .containsEntry(Metric.of(Groups.DISK, "reads-total", disk), 1000.0)
                .containsEntry(Metric.of(Groups.DISK, "writes-total", disk), 2000.0)
                .containsEntry(Metric.of(Groups.DISK, "read-bytes-total", disk), 16000.0 * 512)
                .containsEntry(Metric.of(Groups.DISK, "written-bytes-total", disk), 64000.0 * 512)
                .containsEntry(Metric.of(Groups.DISK, "busy-ms-total", disk), 1200.0)
                .containsEntry(Metric.of(Groups.PROCESS, "read-bytes-total"), 12288.0)
                .containsEntry(Metric.of(Groups.PROCESS, "written-bytes-total"), 24576.0);
        assertThat(sample.numbers().keySet().stream()
                        .filter(metric -> metric.group().equals(Groups.DISK))
                        .map(metric -> metric.tag("device")))
                .containsOnly("nvme0n1");
        Map<String, String> volume = Map.of("path", directory.toString());
        assertThat(sample.numbers().get(Metric.of(Groups.VOLUME, "total-bytes", volume)))
                .isGreaterThanOrEqualTo(sample.numbers().get(Metric.of(Groups.VOLUME, "free-bytes", volume)))
                .isPositive();
        assertThat(sample.texts())
                .containsEntry(Metric.of(Groups.PROCESS, "allocator"), "jemalloc")
                .containsEntry(
                        Metric.of(Groups.VOLUME, "type", volume),
                        Files.getFileStore(directory).type())
                .hasSize(2);
    }

    @Test
    @DisplayName("B83 A pod's limit counts where it is tighter than its container's, with the pod's use")
    void pod() throws IOException {
        String pod = "/kubepods.slice/kubepods-pod7.slice";
        file("proc/4711/cgroup", "0::" + pod + "/cri-containerd-1.scope\n");
        file("sys/fs/cgroup" + pod + "/cri-containerd-1.scope/memory.max", "max\n");
        file("sys/fs/cgroup" + pod + "/cri-containerd-1.scope/memory.current", "100\n");
        file("sys/fs/cgroup" + pod + "/cri-containerd-1.scope/cpu.max", "300000 100000\n");
        file("sys/fs/cgroup" + pod + "/cri-containerd-1.scope/cpu.stat", "nr_periods 5\nnr_throttled 4\n");
        file("sys/fs/cgroup" + pod + "/memory.max", "1000\n");
        file("sys/fs/cgroup" + pod + "/memory.current", "900\n");
        file("sys/fs/cgroup" + pod + "/cpu.max", "400000 100000\n");
        file("sys/fs/cgroup/kubepods.slice/memory.max", "2000\n");
        assertThat(read().numbers())
                .containsEntry(cgroup("memory-max-bytes"), 1000.0)
                .containsEntry(cgroup("memory-current-bytes"), 900.0)
                .containsEntry(cgroup("cpu-cores"), 3.0)
                .containsEntry(cgroup("cpu-throttled-total"), 4.0)
                .doesNotContainKey(cgroup("oom-kills-total"));
    }

    @Test
    @DisplayName("B83 In a container the own cgroup is the top, also where the path told is the host's or leads out")
    void container() throws IOException {
        file("sys/fs/cgroup/memory.max", "1000\n");
        file("sys/fs/cgroup/memory.current", "10\n");
        file("sys/fs/cgroup/cpu.max", "max 100000\n");
        file("sys/fs/cgroup/cpu.stat", "nr_periods 0\nnr_throttled 0\n");
        for (String path : new String[] {"/", "/docker/5c41", "/../../etc"}) {
            file("proc/4711/cgroup", "0::" + path + "\n");
            assertThat(read().numbers())
                    .as(path)
                    .containsEntry(cgroup("memory-max-bytes"), 1000.0)
                    .containsEntry(cgroup("cpu-periods-total"), 0.0)
                    .doesNotContainKey(cgroup("cpu-cores"));
        }
    }

    @Test
    @DisplayName("B83 Cgroups of version 1 tell memory and processors, alone and where version 2 stands beside them")
    void version1() throws IOException {
        String memory = "sys/fs/cgroup/memory/docker/5c41/";
        file(memory + "memory.limit_in_bytes", "9223372036854771712\n");
        file(memory + "memory.usage_in_bytes", "700\n");
        file(
                memory + "memory.stat",
                "cache 1\nrss 2\nhierarchical_memory_limit 1073741824\ntotal_cache 300\ntotal_rss 400\n");
        file(memory + "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
        file("sys/fs/cgroup/cpu,cpuacct/docker/5c41/cpu.cfs_quota_us", "150000\n");
        file("sys/fs/cgroup/cpu,cpuacct/docker/5c41/cpu.cfs_period_us", "100000\n");
        file("sys/fs/cgroup/cpu,cpuacct/docker/5c41/cpu.stat", "nr_periods 9\nnr_throttled 8\nthrottled_time 7\n");
        String controllers = "11:cpu,cpuacct:/docker/5c41\n4:memory:/docker/5c41\n1:name=systemd:/docker/5c41\n";
        for (String unified : new String[] {"", "0::/docker/5c41\n"}) {
            file("proc/4711/cgroup", controllers + unified);
            if (!unified.isEmpty()) {
                file("sys/fs/cgroup/unified/docker/5c41/cpu.stat", "usage_usec 5\nuser_usec 3\n");
            }
            assertThat(read().numbers())
                    .containsEntry(cgroup("memory-max-bytes"), 1073741824.0)
                    .containsEntry(cgroup("memory-current-bytes"), 700.0)
                    .containsEntry(cgroup("memory-file-bytes"), 300.0)
                    .containsEntry(cgroup("memory-anon-bytes"), 400.0)
                    .containsEntry(cgroup("oom-kills-total"), 3.0)
                    .containsEntry(cgroup("cpu-cores"), 1.5)
                    .containsEntry(cgroup("cpu-periods-total"), 9.0)
                    .containsEntry(cgroup("cpu-throttled-total"), 8.0);
        }
        file("sys/fs/cgroup/cpu,cpuacct/docker/5c41/cpu.cfs_quota_us", "-1\n");
        file(memory + "memory.stat", "cache 1\nrss 2\nhierarchical_memory_limit 9223372036854771712\n");
        assertThat(read().numbers())
                .containsEntry(cgroup("memory-file-bytes"), 1.0)
                .doesNotContainKeys(cgroup("cpu-cores"), cgroup("memory-max-bytes"));
    }

    @Test
    @DisplayName("B83 What is missing, empty or no number is left out")
    void damaged() throws IOException {
        service();
        file("proc/4711/cgroup", "nonsense\n0::\n");
        file("proc/diskstats", "259 0 nvme0n1 1 2\n259 0 nvme0n1 a b c d e f g h i j k l\n");
        file("proc/4711/io", "read_bytes: x\n\n:::\n");
        file("proc/4711/maps", "");
        assertThat(read()).satisfies(sample -> {
            assertThat(sample.numbers()).isEmpty();
            assertThat(sample.texts()).isEmpty();
        });
    }

    @Test
    @DisplayName("B83 An allocator that is not loaded is the system's")
    void allocator() throws IOException {
        service();
        file(
                "proc/4711/maps",
                "7f1-7f2 r-xp 0 0:0 42 /usr/lib/libc.so.6\n7f1-7f2 r--p 0 0:0 3 /srv/jemalloc-notes.txt\n");
        assertThat(read().texts()).containsEntry(Metric.of(Groups.PROCESS, "allocator"), "system");
    }

    @Test
    @DisplayName("B83 Where Kafka Streams keeps its state is told by the files that it has open")
    void stateDirectory() throws IOException {
        service();
        assertThat(read().texts()).doesNotContainKey(Metric.of(Groups.CONFIG, "state.dir"));
        Path state = directory.resolve("volume/streams");
        Files.createDirectories(state);
        Path open = Files.createDirectories(directory.resolve("proc/4711/fd"));
        Files.createSymbolicLink(open.resolve("3"), Path.of("socket:[4711]"));
        Files.createSymbolicLink(open.resolve("4"), Path.of("/rocksdb/notes.txt"));
        Files.createSymbolicLink(open.resolve("40"), Path.of("/m2/repository/org/rocksdb/rocksdbjni/1/rocksdbjni.jar"));
        Files.createSymbolicLink(open.resolve("5"), state.resolve("orders/0_1/rocksdb/store/000004.log"));
        Sample sample = read();
        assertThat(sample.texts()).containsEntry(Metric.of(Groups.CONFIG, "state.dir"), state.toString());
        assertThat(sample.numbers())
                .containsKey(Metric.of(Groups.VOLUME, "free-bytes", Map.of("path", state.toString())));
    }

    @Test
    @DisplayName("B83 No such process, and no /proc at all, are told")
    void nothingThere() throws IOException {
        assertThatThrownBy(this::read)
                .isInstanceOf(SourceFailure.class)
                .hasMessageContaining("has no " + directory.resolve("proc"))
                .hasMessageContaining("by JMX");
        Files.createDirectories(directory.resolve("proc/1"));
        assertThatThrownBy(this::read)
                .isInstanceOf(SourceFailure.class)
                .hasMessageContaining("there is no " + directory.resolve("proc/4711") + ": give the pid");
    }

    @Test
    @DisplayName("B83 This process is read from this machine")
    void thisProcess() {
        try (HostSource self = HostSource.ofSelf(directory)) {
            Sample sample = self.read(LIMIT);
            assertThat(sample.source())
                    .isEqualTo("host of pid " + ProcessHandle.current().pid());
            assertThat(sample.texts()).containsEntry(Metric.of(Groups.PROCESS, "allocator"), "system");
            assertThat(sample.numbers())
                    .containsKeys(
                            Metric.of(Groups.PROCESS, "read-bytes-total"),
                            Metric.of(Groups.VOLUME, "free-bytes", Map.of("path", directory.toString())));
        }
    }
}
