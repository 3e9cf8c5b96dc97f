package ai.onnxruntime;

import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A prepared model. Any number of threads may run it at a time. */
public class OrtSession implements AutoCloseable {
    private final OpenModel model;
    private boolean closed;

    OrtSession(OpenModel model) {
        this.model = model;
    }

    private synchronized void checkOpen() {
        if (closed) {
            throw new IllegalStateException("This OrtSession is closed");
        }
    }

    public long getNumInputs() {
        checkOpen();
        return model.inputs().size();
    }

    public long getNumOutputs() {
        checkOpen();
        return model.outputs().size();
    }

    /** Returns the names of the inputs in the model's order, without those that have a default. */
    public Set<String> getInputNames() {
        checkOpen();
        return new LinkedHashSet<>(model.inputs().keySet());
    }

    /** Returns the names of the outputs in the model's order. */
    public Set<String> getOutputNames() {
        checkOpen();
        return new LinkedHashSet<>(model.outputs().keySet());
    }

    public Map<String, NodeInfo> getInputInfo() throws OrtException {
        checkOpen();
        return new LinkedHashMap<>(model.inputs());
    }

    public Map<String, NodeInfo> getOutputInfo() throws OrtException {
        checkOpen();
        return new LinkedHashMap<>(model.outputs());
    }

    /** Runs the model and returns all outputs. */
    public Result run(Map<String, ? extends OnnxTensorLike> inputs) throws OrtException {
        return run(inputs, model.outputs().keySet());
    }

    public Result run(Map<String, ? extends OnnxTensorLike> inputs, @Nullable RunOptions runOptions)
            throws OrtException {
        return run(inputs, model.outputs().keySet(), runOptions);
    }

    /** Runs the model and returns some outputs, in the order of the set. */
    public Result run(Map<String, ? extends OnnxTensorLike> inputs, Set<String> requestedOutputs) throws OrtException {
        return run(inputs, requestedOutputs, Map.of(), null);
    }

    public Result run(
            Map<String, ? extends OnnxTensorLike> inputs, Set<String> requestedOutputs, @Nullable RunOptions runOptions)
            throws OrtException {
        return run(inputs, requestedOutputs, Map.of(), runOptions);
    }

    /** Runs the model and writes outputs into the caller's tensors. */
    public Result run(Map<String, ? extends OnnxTensorLike> inputs, Map<String, ? extends OnnxValue> pinnedOutputs)
            throws OrtException {
        return run(inputs, Set.of(), pinnedOutputs, null);
    }

    public Result run(
            Map<String, ? extends OnnxTensorLike> inputs,
            Set<String> requestedOutputs,
            Map<String, ? extends OnnxValue> pinnedOutputs)
            throws OrtException {
        return run(inputs, requestedOutputs, pinnedOutputs, null);
    }

    /** Runs the model. The result has the pinned outputs first, then the requested ones. */
    public Result run(
            Map<String, ? extends OnnxTensorLike> inputs,
            Set<String> requestedOutputs,
            Map<String, ? extends OnnxValue> pinnedOutputs,
            @Nullable RunOptions runOptions)
            throws OrtException {
        checkOpen();
        Inputs given = model.given(inputs);
        List<String> names = model.outputNames(pinnedOutputs.keySet(), requestedOutputs);
        var options = dev.millrace.session.RunOptions.builder().outputs(names);
        if (runOptions != null) {
            runOptions.settings.open().copyTo(options);
        }
        for (var pinned : pinnedOutputs.entrySet()) {
            OnnxTensor target = OpenModel.target(pinned.getKey(), pinned.getValue());
            if (target.getInfo().type != OnnxJavaType.STRING) {
                options.into(pinned.getKey(), target.dense());
            }
        }
        Outputs outputs = Errors.translated(() -> model.session().run(given, options.build()));
        return new Result(outputs, model, pinnedOutputs);
    }

    public OnnxModelMetadata getMetadata() throws OrtException {
        return new OnnxModelMetadata(model.session().metadata());
    }

    /** Returns the time at which profiling started, in nanoseconds since 1970; 0 without profiling. */
    public long getProfilingStartTimeInNs() throws OrtException {
        return model.profile().startNanos();
    }

    /** Completes the profile and returns the name of its file; an empty text without profiling, and the second time. */
    public String endProfiling() throws OrtException {
        return model.profile().end();
    }

    @Override
    public String toString() {
        return "OrtSession(numInputs=" + model.inputs().size() + ",numOutputs="
                + model.outputs().size() + ")";
    }

    /** Waits for the runs under way. Closing twice throws. */
    @Override
    public void close() throws OrtException {
        synchronized (this) {
            checkOpen();
            closed = true;
        }
        model.session().close();
        model.profile().end();
    }

    /** The options of a session. Creating the session reads them; later changes have no effect on it. */
    public static class SessionOptions extends ExecutionProviders implements AutoCloseable {
        private final SessionSettings settings = new SessionSettings();
        private boolean closed;

        public SessionOptions() {}

        @Override
        synchronized void checkOpen() {
            if (closed) {
                throw new IllegalStateException("These SessionOptions are closed");
            }
        }

        SessionSettings settings() {
            checkOpen();
            return settings;
        }

        /** Closing twice throws. */
        @Override
        public synchronized void close() {
            checkOpen();
            closed = true;
        }

        public void setOptimizationLevel(OptLevel level) throws OrtException {
            settings().level(level.getID());
        }

        /** Sets the most threads that work on one run, the caller's included; 0 for all of the engine. */
        public void setIntraOpNumThreads(int numThreads) throws OrtException {
            settings().threads(numThreads);
        }

        /** Makes the creation of a session fail with {@code ORT_NOT_IMPLEMENTED}. */
        public void setOptimizedModelFilePath(String outputPath) throws OrtException {
            settings().optimizedModel(outputPath);
        }

        /** Writes a trace of each run, in Chrome's format, into a file whose name begins with this path. */
        public void enableProfiling(String filePath) throws OrtException {
            settings().profile(filePath);
        }

        public void disableProfiling() throws OrtException {
            settings().profile(null);
        }

        /** Fixes the extents that have this name. */
        public void setSymbolicDimensionValue(String dimensionName, long dimensionValue) throws OrtException {
            settings().extent(dimensionName, dimensionValue);
        }

        /** Makes the creation of a session fail if the environment was created without {@code ThreadingOptions}. */
        public void disablePerSessionThreads() throws OrtException {
            settings().sharedThreads();
        }

        /**
         * Sets an option by ONNX Runtime's key for it, or by {@code millrace.} and the name of an option of this engine.
         * Keys that are not known have no effect.
         */
        public void addConfigEntry(String configKey, String configValue) throws OrtException {
            settings().config(configKey, configValue);
        }

        public Map<String, String> getConfigEntries() {
            return settings().config();
        }

        /** Replaces initializers that the model must have. Their files of external data are not read. */
        public void addExternalInitializers(Map<String, OnnxTensorLike> initializers) throws OrtException {
            settings().externalInitializers(initializers);
        }

        /** Replaces an initializer; has no effect if the model has none of this name. */
        public void addInitializer(String name, OnnxTensorLike initializer) throws OrtException {
            settings().initializer(name, initializer);
        }

        /** The ways to run independent nodes. */
        public enum ExecutionMode {
            SEQUENTIAL(0),
            PARALLEL(1);

            private final int id;

            ExecutionMode(int id) {
                this.id = id;
            }

            public int getID() {
                return id;
            }
        }

        /** The levels of optimisation. */
        public enum OptLevel {
            NO_OPT(0),
            BASIC_OPT(1),
            EXTENDED_OPT(2),
            LAYOUT_OPT(3),
            ALL_OPT(99);

            private final int id;

            OptLevel(int id) {
                this.id = id;
            }

            public int getID() {
                return id;
            }
        }
    }

    /** The options of runs. */
    public static class RunOptions implements AutoCloseable {
        private final RunSettings settings = new RunSettings();

        public RunOptions() throws OrtException {}

        /** Has no effect but on {@link #getLogLevel()}. */
        public void setLogLevel(OrtLoggingLevel level) throws OrtException {
            settings.open().logLevel = Objects.requireNonNull(level, "level");
        }

        public OrtLoggingLevel getLogLevel() throws OrtException {
            return settings.open().logLevel;
        }

        /** Has no effect but on {@link #getLogVerbosityLevel()}. */
        public void setLogVerbosityLevel(int level) throws OrtException {
            settings.open().verbosity = level;
        }

        public int getLogVerbosityLevel() throws OrtException {
            return settings.open().verbosity;
        }

        /** Sets a name of the run, which execution providers see. */
        public void setRunTag(String runTag) throws OrtException {
            settings.open().tag = runTag;
        }

        public String getRunTag() throws OrtException {
            return settings.open().tag;
        }

        /** Ends the runs under way with these options, and later ones, until it is set to false. */
        public void setTerminate(boolean terminate) throws OrtException {
            settings.open().terminate(terminate);
        }

        /** Adds an option of the run for execution providers. One that none of them knows has no effect. */
        public void addRunConfigEntry(String key, String value) throws OrtException {
            RunSettings open = settings.open();
            SessionSettings.checkEntry(key, value);
            open.config(key, value);
        }

        /** Throws {@code ORT_NOT_IMPLEMENTED}. */
        public void addActiveLoraAdapter(OrtLoraAdapter loraAdapter) throws OrtException {
            settings.open();
            throw Errors.notImplemented("LoRA adapters are not read");
        }

        /** Closing twice throws. */
        @Override
        public void close() {
            settings.close();
        }
    }

    /** The outputs of a run. Closing it closes the values that it owns, which are all but the pinned ones. */
    public static class Result implements AutoCloseable, Iterable<Map.Entry<String, OnnxValue>> {
        private final List<OnnxValue> values = new ArrayList<>();
        private final Map<String, OnnxValue> byName = new LinkedHashMap<>();
        private final boolean[] owned;
        private boolean closed;

        Result(Outputs outputs, OpenModel model, Map<String, ? extends OnnxValue> pinned) throws OrtException {
            owned = new boolean[outputs.names().size()];
            try {
                for (String name : outputs.names()) {
                    OnnxValue value = pinned.get(name);
                    owned[byName.size()] = value == null;
                    if (value instanceof OnnxTensor tensor && tensor.getInfo().type == OnnxJavaType.STRING) {
                        tensor.takeStrings(name, outputs.datum(name));
                    }
                    byName.put(name, value == null ? Values.of(outputs.datum(name), model.typeOf(name)) : value);
                }
            } catch (OrtException e) {
                outputs.close();
                throw e;
            }
            values.addAll(byName.values());
        }

        private void checkOpen() {
            if (closed) {
                throw new IllegalStateException("This Result is closed");
            }
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                for (int i = 0; i < values.size(); i++) {
                    if (owned[i]) {
                        values.get(i).close();
                    }
                }
            }
        }

        @Override
        public Iterator<Map.Entry<String, OnnxValue>> iterator() {
            checkOpen();
            return byName.entrySet().iterator();
        }

        public OnnxValue get(int index) {
            checkOpen();
            return values.get(index);
        }

        /** Returns whether closing this result closes the value. */
        public boolean isResultOwner(int index) {
            checkOpen();
            return owned[index];
        }

        public int size() {
            return values.size();
        }

        public Optional<OnnxValue> get(String key) {
            checkOpen();
            return Optional.ofNullable(byName.get(key));
        }
    }
}
