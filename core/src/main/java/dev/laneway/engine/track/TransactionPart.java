package dev.laneway.engine.track;

import dev.laneway.engine.offsets.Progress;
import java.util.List;

/**
 * One partition's share of a transaction. Immutable.
 *
 * @param progress what may be committed
 * @param outputs what the records emit that are done by it and were not by the last commit, in order
 */
public record TransactionPart(Progress progress, List<RecordEmission> outputs) {}
