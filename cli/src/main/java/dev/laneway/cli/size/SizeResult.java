package dev.laneway.cli.size;

import dev.laneway.ops.check.CheckResult;
import dev.laneway.ops.size.SearchStep;
import dev.laneway.ops.size.SizeProfile;
import dev.laneway.ops.size.Trial;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of a sizing. Immutable.
 *
 * @param first of the smallest number of instances
 * @param more of one instance more
 * @param verdict of {@code check} while more came than the smallest number sustains; null if no more could be made
 */
record SizeResult(
        SizeProfile profile,
        SearchStep.Found first,
        SearchStep.Found more,
        @Nullable CheckResult verdict,
        List<Trial> trials) {
    SizeResult {
        trials = List.copyOf(trials);
    }
}
