package dev.laneway.ops.check;

import dev.laneway.ops.observe.Groups;
import dev.laneway.ops.observe.Observations;
import dev.laneway.ops.observe.Series;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** P3 and D4: where the state lies, and whether there is space for it. */
final class VolumeRules {
    private VolumeRules() {}

    /** P3. */
    static Finding stateDirectory(Instance instance, Thresholds limits) {
        String source = instance.source();
        Optional<String> told = instance.config("state.dir");
        if (told.isEmpty()) {
            return Finding.unknown(
                    RuleId.P3,
                    "The state.dir of " + source + " is not seen: metrics do not tell it.",
                    "Give " + source + " with --pid on its machine, or check it from inside.");
        }
        String directory = told.get();
        Optional<String> type = volume(instance, "total-bytes").flatMap(total -> type(instance, total));
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.P3,
                        "the state of " + source + " lies in " + directory
                                + type.map(name -> " on " + name).orElse(""),
                        "a volume of its own that outlives the process")
                .evidence(source + ": " + Groups.CONFIG + "/state.dir = " + directory);
        String remedy = "Set state.dir of " + source + " to a directory on a volume of its own that stays.";
        if (inTemporary(directory) || type.filter(VolumeRules::inMemory).isPresent()) {
            return judged.warn(
                            "The state of " + source + " lies in " + directory
                                    + ", which a restart of the machine empties: all of it is restored then.",
                            remedy)
                    .because(Cause.STATE_IN_TMP, Confidence.HIGH);
        }
        return type.filter("overlay"::equals).isPresent()
                ? judged.warn(
                        "The state of " + source + " lies in " + directory
                                + " in the container's own layer, and is lost with the container.",
                        remedy)
                : judged.fine();
    }

    private static boolean inTemporary(String directory) {
        return List.of("/tmp", "/var/tmp", "/private/tmp", "/var/folders", "/private/var/folders").stream()
                        .anyMatch(temporary -> within(directory, temporary))
                || directory.contains("\\Temp\\")
                || directory.contains("java.io.tmpdir");
    }

    private static boolean inMemory(String type) {
        return type.equals("tmpfs") || type.equals("ramfs");
    }

    /** D4. */
    static Finding space(Instance instance, Thresholds limits) {
        String source = instance.source();
        Optional<Series> total = volume(instance, "total-bytes");
        Optional<Series> free = volume(instance, "free-bytes");
        if (total.isEmpty() || free.isEmpty() || total.get().last() <= 0) {
            return Finding.unknown(
                    RuleId.D4,
                    "The volume with the state of " + source + " is not seen.",
                    "Run check on the machine of " + source + " with --pid.");
        }
        double all = total.get().last();
        double left = free.get().last();
        double used = 1 - left / all;
        double most = limits.of(Threshold.VOLUME_SHARE);
        double soon = limits.of(Threshold.VOLUME_SECONDS);
        double lasts = secondsLeft(free.get(), limits);
        String path = free.get().metric().tag("path");
        FindingBuilder judged = FindingBuilder.of(
                        RuleId.D4,
                        Figures.percent(used) + " of " + path + " in " + source + " is used, "
                                + Figures.bytes(left) + " are free"
                                + (lasts < Double.MAX_VALUE ? " and last " + Figures.time(lasts) : ""),
                        "at most " + Figures.percent(most) + ", and more than " + Figures.time(soon))
                .evidence(List.of(Figures.last(total.get()), Figures.last(free.get())));
        if (used >= limits.of(Threshold.VOLUME_SHARE_SEVERE)) {
            return judged.fail(
                            "The volume " + path + " of " + source + " is " + Figures.percent(used)
                                    + " full: stores fail when it has no space.",
                            "Grow the volume of " + source + " now; it cannot shrink again.")
                    .because(Cause.DISK, Confidence.HIGH);
        }
        if (used > most || lasts < soon) {
            return judged.warn(
                    "The volume " + path + " of " + source + " is " + Figures.percent(used) + " full"
                            + (lasts < Double.MAX_VALUE ? " and will be full in " + Figures.time(lasts) + "." : "."),
                    "Grow the volume of " + source + " while it runs; it cannot shrink again.");
        }
        return judged.fine();
    }

    /** When the free space ends at the pace of the whole time; never if that was short or the space did not fall. */
    private static double secondsLeft(Series free, Thresholds limits) {
        double fell = free.first() - free.last();
        return free.seconds() < limits.of(Threshold.VOLUME_WATCH_SECONDS) || fell <= 0
                ? Double.MAX_VALUE
                : free.last() / (fell / free.seconds());
    }

    /** The number of the volume that holds state.dir, or the only one if state.dir is not known. */
    private static Optional<Series> volume(Instance instance, String name) {
        List<Series> all = instance.all(Groups.VOLUME, name);
        Optional<String> directory = instance.config("state.dir");
        if (directory.isEmpty()) {
            return all.size() == 1 ? Optional.of(all.getFirst()) : Optional.empty();
        }
        return all.stream()
                .filter(volume -> within(directory.get(), volume.metric().tag("path")))
                .max(Comparator.comparingInt(
                        volume -> volume.metric().tag("path").length()));
    }

    private static Optional<String> type(Instance instance, Series volume) {
        return instance.seen().texts(Groups.VOLUME, "type").stream()
                .filter(text -> text.source().equals(volume.source())
                        && text.metric().tags().equals(volume.metric().tags()))
                .map(Observations.Text::last)
                .findFirst();
    }

    private static boolean within(String directory, String parent) {
        String base = parent.endsWith("/") ? parent : parent + "/";
        return directory.equals(parent) || directory.startsWith(base);
    }
}
