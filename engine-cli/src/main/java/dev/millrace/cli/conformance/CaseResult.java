package dev.millrace.cli.conformance;

/** How a case ended. */
public record CaseResult(BackendCase test, Status status, String message) {
    /** The three ways to end. */
    public enum Status {
        PASSED,
        FAILED,
        SKIPPED
    }

    static CaseResult passed(BackendCase test) {
        return new CaseResult(test, Status.PASSED, "");
    }

    static CaseResult failed(BackendCase test, String message) {
        return new CaseResult(test, Status.FAILED, message);
    }

    static CaseResult skipped(BackendCase test, String reason) {
        return new CaseResult(test, Status.SKIPPED, reason);
    }
}
