package ai.onnxruntime;

import ai.onnxruntime.OrtHardwareDevice.OrtHardwareDeviceType;
import ai.onnxruntime.OrtSession.SessionOptions;
import dev.millrace.graph.format.DataListener;
import dev.millrace.graph.format.ExternalFiles;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Model;
import dev.millrace.onnxruntime.OtherJar;
import dev.millrace.onnxruntime.ReplacedInitializers;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Session;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The owner of sessions, one in a process, which lasts as long as the process. Loading this class fails if the jar of ONNX
 * Runtime is visible as well: parts of both would work together without notice.
 */
public final class OrtEnvironment implements AutoCloseable {
    public static final String DEFAULT_NAME = "ort-java";

    /** The version of ONNX Runtime whose API this is. */
    private static final String API_VERSION = "1.29.0";

    private static final DataListener NOBODY = new DataListener() {};

    private static @Nullable OrtEnvironment instance;

    static {
        OtherJar.refuse(OrtEnvironment.class);
    }

    private final String name;
    private final OrtLoggingLevel level;
    private final boolean globalThreads;
    private final Engine engine;

    private OrtEnvironment(OrtLoggingLevel level, String name, @Nullable ThreadingOptions threads) {
        this.name = name;
        this.level = level;
        this.globalThreads = threads != null;
        this.engine = Engine.create(EngineOptions.builder()
                .threads(threads == null ? 0 : threads.threads)
                .build());
    }

    /** Returns the environment, which the first call creates. */
    public static synchronized OrtEnvironment getEnvironment() {
        OrtEnvironment existing = instance;
        return existing != null ? existing : getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING, DEFAULT_NAME);
    }

    public static OrtEnvironment getEnvironment(String name) {
        return getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_WARNING, name);
    }

    public static OrtEnvironment getEnvironment(OrtLoggingLevel logLevel) {
        return getEnvironment(logLevel, DEFAULT_NAME);
    }

    /** Returns the environment. Only the call that creates it sets its level and its name. */
    public static synchronized OrtEnvironment getEnvironment(OrtLoggingLevel loggingLevel, String name) {
        Objects.requireNonNull(loggingLevel, "loggingLevel");
        Objects.requireNonNull(name, "name");
        OrtEnvironment existing = instance;
        if (existing == null) {
            existing = new OrtEnvironment(loggingLevel, name, null);
            instance = existing;
        } else if (!existing.name.equals(name) || existing.level != loggingLevel) {
            System.getLogger(OrtEnvironment.class.getName())
                    .log(System.Logger.Level.DEBUG, "{0} exists, and keeps its name and level", existing);
        }
        return existing;
    }

    /** Creates the environment; throws if it exists already. */
    public static synchronized OrtEnvironment getEnvironment(
            OrtLoggingLevel loggingLevel, String name, ThreadingOptions threadOptions) {
        Objects.requireNonNull(loggingLevel, "loggingLevel");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(threadOptions, "threadOptions");
        if (instance != null) {
            throw new IllegalStateException("The environment exists, and has its threads; call this method first");
        }
        threadOptions.checkOpen();
        OrtEnvironment created = new OrtEnvironment(loggingLevel, name, threadOptions);
        instance = created;
        return created;
    }

    Engine engine() {
        return engine;
    }

    boolean hasGlobalThreads() {
        return globalThreads;
    }

    public OrtSession createSession(String modelPath) throws OrtException {
        return createSession(modelPath, new SessionOptions());
    }

    public OrtSession createSession(String modelPath, SessionOptions options) throws OrtException {
        Path path = path(modelPath);
        if (Files.isDirectory(path)) {
            throw Errors.invalidArgument(path + " is a folder; name the .onnx file in it");
        }
        return open(
                options,
                external -> Models.read(path, external, FileUse.MAP, NOBODY),
                each -> engine.session(path, each));
    }

    private static Path path(String modelPath) throws OrtException {
        try {
            if (!modelPath.isEmpty()) {
                return Path.of(modelPath);
            }
        } catch (InvalidPathException e) {
            // there is no such file either
        }
        throw new OrtException(OrtException.OrtErrorCode.ORT_NO_SUCHFILE, "'" + modelPath + "' is no path of a file");
    }

    /** Creates a session of a model in a direct buffer, which is copied. */
    public OrtSession createSession(ByteBuffer modelBuffer, SessionOptions options) throws OrtException {
        if (!modelBuffer.hasRemaining() || !modelBuffer.isDirect()) {
            throw new OrtException("A model's buffer is direct, and not empty");
        }
        byte[] model = new byte[modelBuffer.remaining()];
        modelBuffer.duplicate().get(model);
        return createSession(model, options);
    }

    public OrtSession createSession(ByteBuffer modelBuffer) throws OrtException {
        return createSession(modelBuffer, new SessionOptions());
    }

    /** Creates a session of a model in an array, which is copied. */
    public OrtSession createSession(byte[] modelArray, SessionOptions options) throws OrtException {
        if (modelArray.length == 0) {
            throw Errors.invalidArgument("The array has no model, and no bytes at all");
        }
        MemorySegment model = MemorySegment.ofArray(modelArray);
        return open(
                options,
                external -> Models.read(model, external, FileUse.MAP, NOBODY),
                each -> engine.session(modelArray, each));
    }

    public OrtSession createSession(byte[] modelArray) throws OrtException {
        return createSession(modelArray, new SessionOptions());
    }

    private OrtSession open(
            SessionOptions options,
            Function<ExternalFiles, Model> read,
            Function<dev.millrace.session.SessionOptions, Session> create)
            throws OrtException {
        SessionSettings settings = options.settings();
        settings.check(this);
        Profile profile = Errors.translated(() -> Profile.start(settings.profilePrefix()));
        try {
            Session session = Errors.translated(() -> {
                var engineOptions = settings.engineOptions(profile.trace()).build();
                if (!settings.hasInitializers()) {
                    return create.apply(engineOptions);
                }
                ExternalFiles external = engineOptions.externalFiles().with(settings.requiredInitializers());
                return engine.session(replaced(read.apply(external), settings), engineOptions);
            });
            return new OrtSession(new OpenModel(session, profile, settings.extents()));
        } catch (OrtException | RuntimeException e) {
            profile.end();
            throw e;
        }
    }

    private static byte[] replaced(Model model, SessionSettings settings) {
        ReplacedInitializers.replace(model, settings.initializers(), settings.requiredInitializers());
        return Models.toBytes(model);
    }

    /** Throws an IllegalStateException: this engine does not train. */
    public OrtTrainingSession createTrainingSession(
            String checkpointPath, String trainPath, String evalPath, String optimizerPath) throws OrtException {
        throw OrtTrainingSession.refusal();
    }

    /** Throws an IllegalStateException: this engine does not train. */
    public OrtTrainingSession createTrainingSession(
            String checkpointPath, String trainPath, String evalPath, String optimizerPath, SessionOptions options)
            throws OrtException {
        throw OrtTrainingSession.refusal();
    }

    public boolean isTrainingEnabled() {
        return false;
    }

    /** Has no effect: this engine sends nothing. */
    public void setTelemetry(boolean sendTelemetry) throws OrtException {}

    /** Returns the version of ONNX Runtime whose API this is. */
    public String getVersion() {
        return API_VERSION;
    }

    @Override
    public String toString() {
        return "OrtEnvironment(name=" + name + ",logLevel=" + level + ",version=" + getVersion() + ")";
    }

    public static EnumSet<OrtProvider> getAvailableProviders() {
        return EnumSet.of(OrtProvider.CPU);
    }

    /** Throws {@code ORT_FAIL}: no native library is loaded. */
    public void registerExecutionProviderLibrary(String registrationName, String libraryPath) throws OrtException {
        throw new OrtException(
                OrtException.OrtErrorCode.ORT_FAIL,
                "No native library is loaded, so that the provider '" + registrationName + "' is not to be had");
    }

    /** Throws {@code ORT_FAIL}: no library was registered. */
    public void unregisterExecutionProviderLibrary(String registrationName) throws OrtException {
        throw new OrtException(
                OrtException.OrtErrorCode.ORT_FAIL, "There is no library of a provider '" + registrationName + "'");
    }

    /** Returns one device, the CPU. */
    public List<OrtEpDevice> getEpDevices() throws OrtException {
        HardwareDevice cpu = HardwareDevice.hostCpu();
        var hardware = new OrtHardwareDevice(
                OrtHardwareDeviceType.CPU, cpu.vendorId(), cpu.vendor(), cpu.deviceId(), cpu.metadata());
        return List.of(new OrtEpDevice(
                OrtProvider.CPU.getName(), "Millrace", Map.of("version", API_VERSION), Map.of(), hardware));
    }

    /** Returns {@code EP_NOT_APPLICABLE}: the CPU provider of ONNX Runtime compiles nothing. */
    public OrtCompiledModelCompatibility getModelCompatibilityForEpDevices(
            @Nullable List<OrtEpDevice> epDevices, String compatibilityInfo) throws OrtException {
        if (epDevices == null || epDevices.isEmpty()) {
            throw new IllegalArgumentException("There is no device in the list");
        }
        Objects.requireNonNull(compatibilityInfo, "compatibilityInfo");
        return OrtCompiledModelCompatibility.EP_NOT_APPLICABLE;
    }

    /** Has no effect: the environment lasts as long as the process. */
    @Override
    public void close() {}

    /** Verdicts on how well a compiled model suits devices. */
    public enum OrtCompiledModelCompatibility {
        EP_NOT_APPLICABLE(0),
        EP_SUPPORTED_OPTIMAL(1),
        EP_SUPPORTED_PREFER_RECOMPILATION(2),
        EP_UNSUPPORTED(3);

        private final int value;

        OrtCompiledModelCompatibility(int value) {
            this.value = value;
        }

        public int getValue() {
            return value;
        }

        /** Returns the verdict with this number, {@code EP_UNSUPPORTED} if there is none. */
        public static OrtCompiledModelCompatibility mapFromInt(int value) {
            return value >= 0 && value < values().length ? values()[value] : EP_UNSUPPORTED;
        }
    }

    /** The threads of the environment, which all sessions share. */
    public static final class ThreadingOptions implements AutoCloseable {
        private int threads;
        private boolean closed;

        public ThreadingOptions() {}

        private synchronized void checkOpen() {
            if (closed) {
                throw new IllegalStateException("These ThreadingOptions are closed");
            }
        }

        private void checkThreads(int numThreads) {
            checkOpen();
            if (numThreads < 0) {
                throw new IllegalArgumentException("There cannot be " + numThreads + " threads");
            }
        }

        /** Closing twice throws. */
        @Override
        public synchronized void close() {
            checkOpen();
            closed = true;
        }

        /** Has no effect: all runs share the engine's threads. */
        public void setGlobalInterOpNumThreads(int numThreads) throws OrtException {
            checkThreads(numThreads);
        }

        /** Sets the number of threads of the engine; 0 for one for each processor. */
        public void setGlobalIntraOpNumThreads(int numThreads) throws OrtException {
            checkThreads(numThreads);
            threads = numThreads;
        }

        /** Has no effect: workers spin for microseconds, and then park. */
        public void setGlobalSpinControl(boolean allowSpinning) throws OrtException {
            checkOpen();
        }

        /** Has no effect. */
        public void setGlobalDenormalAsZero() throws OrtException {
            checkOpen();
        }
    }
}
