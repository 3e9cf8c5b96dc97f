package ai.onnxruntime;

import ai.onnxruntime.OrtException.OrtErrorCode;
import dev.millrace.graph.EngineException;
import java.util.function.Supplier;

/** Translates failures of the engine. */
final class Errors {
    private Errors() {}

    /** Returns what {@code work} returns; throws its failure as an OrtException. */
    static <T> T translated(Supplier<T> work) throws OrtException {
        try {
            return work.get();
        } catch (EngineException e) {
            var translated = new OrtException(codeOf(e), String.valueOf(e.getMessage()));
            translated.initCause(e);
            throw translated;
        }
    }

    private static OrtErrorCode codeOf(EngineException failure) {
        return switch (failure.status()) {
            case INVALID_ARGUMENT -> OrtErrorCode.ORT_INVALID_ARGUMENT;
            case NO_SUCH_FILE -> OrtErrorCode.ORT_NO_SUCHFILE;
            case NO_MODEL -> OrtErrorCode.ORT_NO_MODEL;
            case ENGINE_ERROR -> OrtErrorCode.ORT_ENGINE_ERROR;
            case RUNTIME_EXCEPTION -> OrtErrorCode.ORT_RUNTIME_EXCEPTION;
            case INVALID_PROTOBUF -> OrtErrorCode.ORT_INVALID_PROTOBUF;
            case MODEL_LOADED -> OrtErrorCode.ORT_MODEL_LOADED;
            case NOT_IMPLEMENTED -> OrtErrorCode.ORT_NOT_IMPLEMENTED;
            case INVALID_GRAPH -> OrtErrorCode.ORT_INVALID_GRAPH;
            case EP_FAIL -> OrtErrorCode.ORT_EP_FAIL;
            case MODEL_LOAD_CANCELED -> OrtErrorCode.ORT_MODEL_LOAD_CANCELED;
            case MODEL_REQUIRES_COMPILATION -> OrtErrorCode.ORT_MODEL_REQUIRES_COMPILATION;
            case NOT_FOUND -> OrtErrorCode.ORT_NOT_FOUND;
            case FAIL, CANCELLED, DEADLINE_EXCEEDED, OVERLOADED, BUDGET_EXCEEDED, CLOSED -> OrtErrorCode.ORT_FAIL;
        };
    }

    /** Returns the failure of a call for which this engine has nothing. */
    static OrtException notImplemented(String message) {
        return new OrtException(OrtErrorCode.ORT_NOT_IMPLEMENTED, message);
    }

    static OrtException invalidArgument(String message) {
        return new OrtException(OrtErrorCode.ORT_INVALID_ARGUMENT, message);
    }
}
