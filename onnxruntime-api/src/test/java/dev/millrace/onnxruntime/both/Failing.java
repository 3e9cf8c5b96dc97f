package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.catchThrowable;

import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtException.OrtErrorCode;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Calls that are expected to fail. */
final class Failing {
    private Failing() {}

    /** Returns the code of the OrtException that a call throws; fails if it throws anything else, or nothing. */
    static OrtErrorCode codeOf(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        if (thrown instanceof OrtException failure) {
            return failure.getCode();
        }
        throw new AssertionError("it should have thrown an OrtException", thrown);
    }
}
