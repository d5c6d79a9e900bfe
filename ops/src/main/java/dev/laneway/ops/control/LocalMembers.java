package dev.laneway.ops.control;

import dev.laneway.ops.scale.ScalingOption;
import dev.laneway.ops.scale.ScalingPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Members that are processes of this machine, all of one command. It keeps as many as were asked for: starts one for
 * each that ends by itself, more slowly if they end at once ({@link StartBackOff}); takes over those that an autoscaler
 * before it has started; ends that of the highest number first, by SIGTERM, and by force after a limit. When this
 * closes they stay. Used by one thread.
 */
public final class LocalMembers implements ScalingActor {
    private static final Pattern FILE = Pattern.compile("member-(\\d{1,6})\\.pid");

    private final Setup setup;
    private final ScalingPolicy policy;
    private final LoopClock clock;
    private final ExclusiveFile lock;
    private final StartBackOff backOff = new StartBackOff();
    private final List<LocalMember> members = new ArrayList<>();
    private final List<String> news = new ArrayList<>();
    private int wanted;

    /**
     * How. Immutable.
     *
     * @param command of a member; {@code {n}} in it is the member's number, from 1 on
     * @param directory for files of process ids and for output; one autoscaler at a time has it
     * @param endLimit how long a member may take to end before it is killed
     * @param early a member that ends within this time of its start has failed to start
     */
    public record Setup(List<String> command, Path directory, Duration endLimit, Duration early) {
        /** Copies the list. */
        public Setup {
            command = List.copyOf(command);
            if (command.isEmpty()) {
                throw new IllegalArgumentException("the command of a member has no word: name a program");
            }
        }
    }

    private LocalMembers(Setup setup, ScalingPolicy policy, LoopClock clock, ExclusiveFile lock) {
        this.setup = setup;
        this.policy = policy;
        this.clock = clock;
        this.lock = lock;
    }

    /**
     * Takes over what runs. Members are started and ended by {@link #look} only.
     *
     * @param asked members that were asked for last, as a decision log knows it; null if it knows of none
     * @throws IOException if the directory cannot be used, or another process has it; the message says so
     */
    public static LocalMembers open(Setup setup, ScalingPolicy policy, @Nullable Integer asked, LoopClock clock)
            throws IOException {
        Files.createDirectories(setup.directory());
        ExclusiveFile lock = ExclusiveFile.take(setup.directory().resolve("lock"));
        if (lock == null) {
            throw new IOException("another autoscaler has the members of " + setup.directory());
        }
        LocalMembers opened = new LocalMembers(setup, policy, clock, lock);
        try {
            opened.adopt();
        } catch (IOException | RuntimeException failed) {
            lock.close();
            throw failed;
        }
        opened.wanted = opened.toBegin(asked);
        return opened;
    }

    private void adopt() throws IOException {
        try (Stream<Path> files = Files.list(setup.directory())) {
            for (Path each : files.toList()) {
                Matcher name = FILE.matcher(each.getFileName().toString());
                LocalMember found = name.matches()
                        ? LocalMember.find(setup.directory(), Integer.parseInt(name.group(1)), clock.nanos())
                        : null;
                if (found != null) {
                    members.add(found);
                }
            }
        }
        members.sort(Comparator.comparingInt(member -> member.number));
        if (!members.isEmpty()) {
            news.add("takes over " + count(members.size()) + " that run");
        }
    }

    /** What was asked for, within the bounds; what runs beyond them is the policy's to decide. */
    private int toBegin(@Nullable Integer asked) {
        int alive = members.size();
        int least = (int) policy.get(ScalingOption.REPLICAS_MIN);
        int most = (int) policy.get(ScalingOption.REPLICAS_MAX);
        int begin = asked == null ? alive : asked > alive ? Math.max(alive, Math.min(asked, most)) : asked;
        return Math.max(least, begin);
    }

    @Override
    public ActorView look(boolean mayAct) {
        long now = clock.nanos();
        reap(now);
        for (LocalMember member : members) {
            if (member.force(now)) {
                news.add("member " + member.number + " has not ended within "
                        + setup.endLimit().toSeconds() + " s of SIGTERM and is killed");
            }
        }
        if (mayAct) {
            balance(now);
        }
        Set<Long> pids = new HashSet<>();
        members.stream().filter(LocalMember::isJava).forEach(member -> pids.add(member.pid()));
        List<String> told = List.copyOf(news);
        news.clear();
        boolean isSettled = members.size() == wanted && members.stream().noneMatch(LocalMember::isEnding);
        return new ActorView(members.size(), null, isSettled, pids, told);
    }

    private void reap(long now) {
        boolean hasFailed = false;
        for (LocalMember member : List.copyOf(members)) {
            if (member.isAlive()) {
                if (!member.isAdopted()
                        && member.ageSeconds(now) >= setup.early().toSeconds()) {
                    backOff.lives();
                }
                continue;
            }
            members.remove(member);
            member.forget();
            if (member.isEnding()) {
                news.add("member " + member.number + " has ended");
                continue;
            }
            boolean isEarly = !member.isAdopted()
                    && member.ageSeconds(now) < setup.early().toSeconds();
            if (isEarly && !hasFailed) {
                backOff.failed(now);
                hasFailed = true;
            }
            news.add("member " + member.number + " has ended by itself, " + exit(member)
                    + (isEarly
                            ? ", soon after its start; the next is started in " + backOff.pauseSeconds() + " s or more"
                            : "")
                    + "; its output is " + LocalMember.output(setup.directory(), member.number));
        }
    }

    private static String exit(LocalMember member) {
        try {
            return member.exit();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return "with an unknown exit code";
        }
    }

    /** Starts what is missing, ends what is too much. */
    private void balance(long now) {
        List<LocalMember> staying =
                members.stream().filter(member -> !member.isEnding()).toList();
        int onTrial = (int) staying.stream()
                .filter(member -> !member.isAdopted()
                        && member.ageSeconds(now) < setup.early().toSeconds())
                .count();
        int allowed = backOff.allowed(Math.max(0, wanted - staying.size()), onTrial, now);
        for (int i = 0; i < allowed; i++) {
            start(now);
        }
        for (int i = staying.size() - 1; i >= wanted; i--) {
            LocalMember member = staying.get(i);
            member.end(now + setup.endLimit().toNanos());
            news.add("member " + member.number + " is asked to end");
        }
    }

    private void start(long now) {
        int number = 1;
        for (LocalMember member : members) {
            number += member.number == number ? 1 : 0;
        }
        try {
            LocalMember started = LocalMember.start(setup.command(), setup.directory(), number, now);
            members.add(started);
            members.sort(Comparator.comparingInt(member -> member.number));
            news.add("member " + number + " is started, process " + started.pid());
        } catch (IOException failed) {
            backOff.failed(now);
            news.add("member " + number + " cannot be started (" + failed.getMessage() + "); the next is tried in "
                    + backOff.pauseSeconds() + " s or more");
        }
    }

    @Override
    public ActorAnswer change(int from, int to, String sentence) {
        wanted = to;
        balance(clock.nanos());
        return new ActorAnswer.Done((to > from ? "starts " : "ends ") + count(Math.abs(to - from)));
    }

    private static String count(int number) {
        return number + (number == 1 ? " member" : " members");
    }

    /** Members stay. */
    @Override
    public void close() {
        lock.close();
    }
}
