package dev.laneway.ops.observe;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What Linux tells of a process and of the machine under it: {@link Groups#CGROUP}, {@link Groups#PROCESS},
 * {@link Groups#DISK} of whole disks, and {@link Groups#VOLUME} of paths, as they are called here: a container may call
 * them otherwise.
 *
 * <p>What the kernel does not tell, or not to this user, is left out. Disks are the machine's, so in a container they
 * are also used by others: {@link Groups#CGROUP} tells the container's own part, where cgroups are of version 2. An
 * allocator that is linked into a program is not seen.
 */
public final class HostSource implements Source {
    private static final int SECTOR_BYTES = 512; // In diskstats, whatever the disk's own are.
    private static final int DISK_FIELDS = 14;

    private final long pid;
    private final List<Path> volumes;
    private final Path proc;
    private final Path sys;
    private final LongSupplier clock = System::currentTimeMillis;
    private final Timely worker;
    /** Where Kafka Streams keeps its state, by the files that the process has open; null until that is seen. */
    private @Nullable Path stateDirectory;

    HostSource(long pid, List<Path> volumes, Path proc, Path sys) {
        this.pid = pid;
        this.volumes = List.copyOf(volumes);
        this.proc = proc;
        this.sys = sys;
        worker = new Timely("laneway-observe host of pid " + pid);
    }

    /**
     * The host of a process, seen from here. Some of it needs the rights of the process's user.
     *
     * @param volumes paths whose volumes are of interest, such as that of {@code state.dir}
     */
    public static HostSource ofPid(long pid, Path... volumes) {
        return new HostSource(pid, List.of(volumes), Path.of("/proc"), Path.of("/sys"));
    }

    /** The host of this process. */
    public static HostSource ofSelf(Path... volumes) {
        return ofPid(ProcessHandle.current().pid(), volumes);
    }

    @Override
    public String name() {
        return "host of pid " + pid;
    }

    /** @throws SourceFailure without /proc or such a process, or if a volume does not answer within the limit */
    @Override
    public Sample read(Duration limit) {
        try {
            return worker.call(
                    limit, name(), () -> "one of the volumes " + volumes + " hangs: leave it out", this::readNow);
        } catch (SourceFailure told) {
            throw told;
        } catch (Exception failed) {
            throw new SourceFailure(
                    name() + " cannot be read (" + Reasons.of(failed) + "): read its JVM by JMX instead", failed);
        }
    }

    private Sample readNow() {
        Path process = proc.resolve(String.valueOf(pid));
        if (!Files.isDirectory(process)) {
            throw new SourceFailure(
                    Files.isDirectory(proc)
                            ? "there is no " + process + ": give the pid of a process that runs on this machine and is"
                                    + " visible from this container"
                            : "this system (" + System.getProperty("os.name") + ") has no " + proc
                                    + ": read the JVM by JMX, and run this on Linux to see cgroups and disks",
                    null);
        }
        SampleBuilder sample = new SampleBuilder();
        Map<String, String> devices = disks(sample);
        new CgroupReader(process, sys, devices, sample).read();
        process(process, sample);
        volumes.forEach(volume -> volume(volume, sample));
        if (stateDirectory == null) {
            stateDirectory = OpenFiles.stateDirectory(process);
        }
        if (stateDirectory != null) {
            sample.put(Metric.of(Groups.CONFIG, "state.dir"), stateDirectory.toString());
            volume(stateDirectory, sample);
        }
        return sample.build(name(), clock.getAsLong());
    }

    /** Returns all devices' names by their numbers; {@code 259 0 nvme0n1 reads merged sectors ms writes ...}. */
    private Map<String, String> disks(SampleBuilder into) {
        Map<String, String> devices = new HashMap<>();
        for (String line : SmallFiles.lines(proc.resolve("diskstats"))) {
            String[] fields = line.strip().split("\\s+", -1);
            if (fields.length < DISK_FIELDS) {
                continue;
            }
            String device = fields[2];
            devices.put(fields[0] + ":" + fields[1], device);
            if (isDisk(device)) {
                Map<String, String> tags = Map.of("device", device);
                put(into, "reads-total", tags, fields[3], 1);
                put(into, "read-bytes-total", tags, fields[5], SECTOR_BYTES);
                put(into, "writes-total", tags, fields[7], 1);
                put(into, "written-bytes-total", tags, fields[9], SECTOR_BYTES);
                put(into, "busy-ms-total", tags, fields[12], 1);
            }
        }
        return devices;
    }

    private static void put(SampleBuilder into, String name, Map<String, String> tags, String field, int factor) {
        SmallFiles.number(field)
                .ifPresent(value -> into.put(Metric.of(Groups.DISK, name, tags), (double) value * factor));
    }

    /** Not one that is made of memory or of a file; nor a partition, where /sys tells which are. */
    private boolean isDisk(String device) {
        if (device.startsWith("loop") || device.startsWith("ram") || device.startsWith("zram")) {
            return false;
        }
        Path disks = sys.resolve("block");
        return !Files.isDirectory(disks) || Files.exists(disks.resolve(device.replace('/', '!')));
    }

    private static void process(Path process, SampleBuilder into) {
        Map<String, Long> io = SmallFiles.numbers(process.resolve("io"));
        into.put(Metric.of(Groups.PROCESS, "read-bytes-total"), io.get("read_bytes"));
        into.put(Metric.of(Groups.PROCESS, "written-bytes-total"), io.get("write_bytes"));
        String maps = SmallFiles.text(process.resolve("maps"));
        if (!maps.isEmpty()) {
            into.put(
                    Metric.of(Groups.PROCESS, "allocator"),
                    List.of("jemalloc", "tcmalloc", "mimalloc").stream()
                            .filter(allocator -> maps.contains("/lib" + allocator))
                            .findFirst()
                            .orElse("system"));
        }
    }

    private static void volume(Path path, SampleBuilder into) {
        try {
            FileStore store = Files.getFileStore(path);
            Map<String, String> tags = Map.of("path", path.toString());
            into.put(Metric.of(Groups.VOLUME, "total-bytes", tags), store.getTotalSpace());
            into.put(Metric.of(Groups.VOLUME, "free-bytes", tags), store.getUsableSpace());
            into.put(Metric.of(Groups.VOLUME, "type", tags), store.type());
        } catch (IOException unreadable) {
            // It is not there, or not for this user.
        }
    }

    @Override
    public void close() {
        worker.close();
    }
}
