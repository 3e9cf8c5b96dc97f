package ai.onnxruntime;

import ai.onnxruntime.OrtSession.SessionOptions.ExecutionMode;
import java.util.Objects;

/** The options of a session that this engine has no use for, or refuses. */
abstract class IgnoredOptions {
    /** Throws if the options are closed. */
    abstract void checkOpen();

    /** Has no effect: independent nodes share the threads of a run. */
    public void setExecutionMode(ExecutionMode mode) throws OrtException {
        checkOpen();
        Objects.requireNonNull(mode, "mode");
    }

    /** Has no effect: all runs share the engine's threads. */
    public void setInterOpNumThreads(int numThreads) throws OrtException {
        checkOpen();
    }

    /** Has no effect. */
    public void setLoggerId(String logId) throws OrtException {
        checkOpen();
    }

    /** Has no effect: memory is always planned. */
    public void setMemoryPatternOptimization(boolean memPattern) throws OrtException {
        checkOpen();
    }

    /** Has no effect: the engine has its own pools. */
    public void setCPUArenaAllocator(boolean useArena) throws OrtException {
        checkOpen();
    }

    /** Has no effect: log records go to the back end of {@code System.Logger}, which has its own levels. */
    public void setSessionLogLevel(OrtLoggingLevel logLevel) throws OrtException {
        checkOpen();
        Objects.requireNonNull(logLevel, "logLevel");
    }

    /** Has no effect. */
    public void setSessionLogVerbosityLevel(int logLevel) throws OrtException {
        checkOpen();
    }

    /** Throws {@code ORT_FAIL}: no native code is loaded. */
    public void registerCustomOpLibrary(String path) throws OrtException {
        throw noCustomOperators();
    }

    /** Throws {@code ORT_FAIL}: no native code is called. */
    public void registerCustomOpsUsingFunction(String registrationFuncName) throws OrtException {
        throw noCustomOperators();
    }

    private OrtException noCustomOperators() {
        checkOpen();
        return new OrtException(
                OrtException.OrtErrorCode.ORT_FAIL,
                "Operators in native libraries are not loaded; a model can bring functions of its own instead");
    }

    /** Has no effect. */
    public void setDeterministicCompute(boolean value) throws OrtException {
        checkOpen();
    }
}
