package ai.onnxruntime;

import ai.onnxruntime.OrtSession.SessionOptions;
import dev.millrace.session.CompileOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.ModelInput;
import dev.millrace.session.ModelOutput;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;

/** The options of a compilation, which writes a model that opens faster. */
public final class OrtModelCompilationOptions implements AutoCloseable {
    private final Engine engine;
    private final CompileOptions.Builder options;
    private @Nullable ModelInput input;
    private ModelOutput output = ModelOutput.besideSource();
    private boolean closed;

    private OrtModelCompilationOptions(Engine engine, CompileOptions.Builder options) {
        this.engine = engine;
        this.options = options;
    }

    public static OrtModelCompilationOptions createFromSessionOptions(OrtEnvironment env, SessionOptions sessionOptions)
            throws OrtException {
        SessionSettings settings = sessionOptions.settings();
        var session = Errors.translated(() -> settings.engineOptions(null).build());
        return new OrtModelCompilationOptions(env.engine(), CompileOptions.of(session));
    }

    private synchronized void checkOpen() {
        if (closed) {
            throw new IllegalStateException("These OrtModelCompilationOptions are closed");
        }
    }

    /** Closing twice throws. */
    @Override
    public synchronized void close() {
        checkOpen();
        closed = true;
    }

    public void setInputModelPath(String inputModelPath) throws OrtException {
        checkOpen();
        Path path = Path.of(inputModelPath);
        if (!Files.exists(path)) {
            throw Errors.invalidArgument("There is no model file " + path);
        }
        input = ModelInput.file(path);
    }

    /** Sets the model to the remaining bytes of a buffer, which must not change until it is compiled. */
    public void setInputModelFromBuffer(ByteBuffer inputModelBuffer) throws OrtException {
        checkOpen();
        if (!inputModelBuffer.hasRemaining()) {
            throw Errors.invalidArgument("The buffer has no model, and no bytes at all");
        }
        input = ModelInput.buffer(inputModelBuffer);
    }

    public void setOutputModelPath(String outputModelPath) throws OrtException {
        checkOpen();
        output = Errors.translated(() -> ModelOutput.file(Path.of(outputModelPath)));
    }

    public void setOutputExternalInitializersPath(String outputExternalInitializersPath, long initializersMinSize)
            throws OrtException {
        checkOpen();
        options.externalInitializers(outputExternalInitializersPath, initializersMinSize);
    }

    /** Sets whether the compiled model contains the binary, or has it in a file of its own. */
    public void setEpContextEmbedMode(boolean embedMode) throws OrtException {
        checkOpen();
        options.embed(embedMode);
    }

    public void setCompilationFlags(EnumSet<OrtCompileApiFlags> flags) throws OrtException {
        checkOpen();
        options.errorIfNothingCompiled(flags.contains(OrtCompileApiFlags.ERROR_IF_NO_NODES_COMPILED))
                .errorIfOutputExists(flags.contains(OrtCompileApiFlags.ERROR_IF_OUTPUT_FILE_EXISTS));
    }

    public void compileModel() throws OrtException {
        checkOpen();
        ModelInput model = input;
        if (model == null) {
            throw Errors.invalidArgument("There is no model to compile; set its path or its buffer");
        }
        Errors.translated(() -> engine.compiler(options.build()).compile(model, output));
    }

    /** Flags of a compilation. */
    public enum OrtCompileApiFlags implements OrtFlags {
        NONE(0),
        ERROR_IF_NO_NODES_COMPILED(1),
        ERROR_IF_OUTPUT_FILE_EXISTS(2);

        public final int value;

        OrtCompileApiFlags(int value) {
            this.value = value;
        }

        @Override
        public int getValue() {
            return value;
        }
    }
}
