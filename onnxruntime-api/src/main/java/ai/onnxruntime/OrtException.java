package ai.onnxruntime;

/** A failure of the engine, with a code that says which kind it is. */
public class OrtException extends Exception {
    private static final long serialVersionUID = 1L;

    private final OrtErrorCode code;

    /** Creates an exception with the code {@code ORT_JAVA_UNKNOWN}. */
    public OrtException(String message) {
        super(message);
        this.code = OrtErrorCode.ORT_JAVA_UNKNOWN;
    }

    public OrtException(int code, String message) {
        this(OrtErrorCode.mapFromInt(code), message);
    }

    public OrtException(OrtErrorCode code, String message) {
        super("Error code - " + code + " - message: " + message);
        this.code = code;
    }

    public OrtErrorCode getCode() {
        return code;
    }

    /** The kinds of failures. */
    public enum OrtErrorCode {
        ORT_JAVA_UNKNOWN(-1),
        ORT_OK(0),
        ORT_FAIL(1),
        ORT_INVALID_ARGUMENT(2),
        ORT_NO_SUCHFILE(3),
        ORT_NO_MODEL(4),
        ORT_ENGINE_ERROR(5),
        ORT_RUNTIME_EXCEPTION(6),
        ORT_INVALID_PROTOBUF(7),
        ORT_MODEL_LOADED(8),
        ORT_NOT_IMPLEMENTED(9),
        ORT_INVALID_GRAPH(10),
        ORT_EP_FAIL(11),
        ORT_MODEL_LOAD_CANCELED(12),
        ORT_MODEL_REQUIRES_COMPILATION(13),
        ORT_NOT_FOUND(14),
        ORT_DEVICE_RESET(15);

        private final int value;

        OrtErrorCode(int value) {
            this.value = value;
        }

        /** Returns the code with this number, {@code ORT_JAVA_UNKNOWN} if there is none. */
        public static OrtErrorCode mapFromInt(int value) {
            for (OrtErrorCode code : values()) {
                if (code.value == value) {
                    return code;
                }
            }
            return ORT_JAVA_UNKNOWN;
        }
    }
}
