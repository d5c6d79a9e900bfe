package dev.laneway;

/**
 * What happens when the metadata of a commit has no room to tell all that is done beyond the lowest unfinished record.
 * That takes some hundreds of keys of one partition that are stuck at once, or many thousands of records that end in
 * any order beside one that does not. Immutable.
 */
public enum WhenMapIsFull {
    /**
     * The partition fetches nothing until some of them have ended, and health says so. A crash repeats nothing that a
     * commit has told. The default.
     */
    STOP_INTAKE,
    /**
     * The partition goes on. A commit tells as much as there is room for, from the lowest unfinished record on; a crash
     * or a new owner repeats what is done behind that. Health says so while it is the case. Not with exactly-once.
     */
    REPEAT_AFTER_CRASH
}
