package dev.laneway;

import java.time.Duration;

/** The defaults with some options changed, for tests in other packages. */
public final class DraftOptions {
    private final OptionsDraft draft = new OptionsDraft(Options.DEFAULTS);

    private DraftOptions() {}

    public static DraftOptions defaults() {
        return new DraftOptions();
    }

    public DraftOptions ordering(Ordering ordering) {
        draft.ordering = ordering;
        return this;
    }

    public DraftOptions nullKeys(NullKeys nullKeys) {
        draft.nullKeys = nullKeys;
        return this;
    }

    public DraftOptions concurrency(int concurrency) {
        draft.concurrency = concurrency;
        return this;
    }

    public DraftOptions consumers(int consumers) {
        draft.consumers = consumers;
        return this;
    }

    public DraftOptions attemptLimit(Duration attemptLimit) {
        draft.attemptLimit = attemptLimit;
        return this;
    }

    public DraftOptions stallLimit(Duration stallLimit) {
        draft.stallLimit = stallLimit;
        return this;
    }

    public DraftOptions drainLimit(Duration drainLimit) {
        draft.drainLimit = drainLimit;
        return this;
    }

    public DraftOptions onFailure(FailurePolicy failurePolicy) {
        draft.failurePolicy = failurePolicy;
        return this;
    }

    public DraftOptions commit(CommitMode commit) {
        draft.commit = commit;
        return this;
    }

    public DraftOptions startAt(StartPosition startPosition) {
        draft.startPosition = startPosition;
        return this;
    }

    public DraftOptions workers(Workers workers) {
        draft.workers = workers;
        return this;
    }

    public DraftOptions bufferRecords(int bufferRecords) {
        draft.bufferRecords = bufferRecords;
        return this;
    }

    public DraftOptions bufferBytes(long bufferBytes) {
        draft.bufferBytes = bufferBytes;
        return this;
    }

    public DraftOptions brokerLimit(Duration brokerLimit) {
        draft.brokerLimit = brokerLimit;
        return this;
    }

    public DraftOptions closeLimit(Duration closeLimit) {
        draft.closeLimit = closeLimit;
        return this;
    }

    public DraftOptions retryAuthorization(Duration retryAuthorization) {
        draft.retryAuthorization = retryAuthorization;
        return this;
    }

    public DraftOptions metadata(MetadataPolicy metadata) {
        draft.metadata = metadata;
        return this;
    }

    public Options options() {
        return draft.toOptions();
    }
}
