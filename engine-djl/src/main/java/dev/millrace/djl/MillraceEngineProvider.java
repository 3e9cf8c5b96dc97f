package dev.millrace.djl;

import ai.djl.engine.Engine;
import ai.djl.engine.EngineProvider;

/** The provider of the engine {@code Millrace}, which DJL finds as a service. */
public final class MillraceEngineProvider implements EngineProvider {
    /** The system property of the rank. DJL's default engine is the one with the lowest. */
    public static final String RANK = "dev.millrace.djl.rank";

    /** One less than that of DJL's engine for ONNX Runtime. */
    private static final int USUAL_RANK = 9;

    /** The engine of the process, made at the first use. */
    private static final class Holder {
        static final DjlEngine ENGINE = new DjlEngine();
    }

    @Override
    public String getEngineName() {
        return DjlManager.ENGINE;
    }

    @Override
    public int getEngineRank() {
        return rank();
    }

    static int rank() {
        return Integer.getInteger(RANK, USUAL_RANK);
    }

    @Override
    public Engine getEngine() {
        return Holder.ENGINE;
    }
}
