package dev.millrace.djl;

import ai.djl.engine.Engine;
import ai.djl.engine.EngineProvider;

/**
 * The provider that answers for the engine {@code OnnxRuntime}, where the system property {@value #PROPERTY} is
 * {@code true}: models of the zoo that ask for that engine run here. Otherwise it repeats {@link MillraceEngineProvider}.
 */
public final class OnnxRuntimeNameProvider implements EngineProvider {
    /** The system property that switches the provider on. */
    public static final String PROPERTY = "dev.millrace.djl.onnxruntime";

    private final MillraceEngineProvider own = new MillraceEngineProvider();

    @Override
    public String getEngineName() {
        return Boolean.getBoolean(PROPERTY) ? "OnnxRuntime" : own.getEngineName();
    }

    @Override
    public int getEngineRank() {
        return own.getEngineRank();
    }

    @Override
    public Engine getEngine() {
        return own.getEngine();
    }
}
