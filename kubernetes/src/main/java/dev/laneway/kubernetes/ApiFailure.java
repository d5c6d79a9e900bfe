package dev.laneway.kubernetes;

/** The API server refused, failed, or did not answer; the message says which in one sentence without a full stop. */
final class ApiFailure extends Exception {
    private static final long serialVersionUID = 1;

    /** No answer has come, or none that tells what became of the request. */
    static final int NO_ANSWER = 0;

    private static final int FIRST_SERVER_ERROR = 500;

    private final int status;

    ApiFailure(int status, String message) {
        super(message);
        this.status = status;
    }

    /** HTTP's status; {@link #NO_ANSWER} without one. */
    int status() {
        return status;
    }

    /** Whether what was asked for may have been done nevertheless. */
    boolean isUnsure() {
        return status == NO_ANSWER || status >= FIRST_SERVER_ERROR;
    }

    String sentence() {
        return String.valueOf(getMessage());
    }
}
