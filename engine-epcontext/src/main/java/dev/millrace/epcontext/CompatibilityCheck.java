package dev.millrace.epcontext;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Model;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Asks, before anything is shared out, whether those who compiled a model still run what they made of it. */
public final class CompatibilityCheck {
    private static final String KEY = "ep_compatibility_info.";

    private CompatibilityCheck() {}

    /** The model's metadata entry that keeps what {@code provider} said of itself when the model was compiled. */
    static String key(String provider) {
        return KEY + provider;
    }

    /**
     * Throws where a provider no longer runs what it compiled.
     *
     * @param hardware that the model is to run on
     * @param failOnSuboptimal also throws where it runs, but would run faster if it were compiled again
     */
    public static void check(
            Model model, List<ProviderFactory> factories, List<HardwareDevice> hardware, boolean failOnSuboptimal) {
        for (ProviderFactory factory : factories) {
            String info = model.metadata().getOrDefault(key(factory.name()), "");
            if (!info.isEmpty()) {
                judge(factory.name(), validate(factory, hardware, info), failOnSuboptimal);
            }
        }
    }

    /** What the providers said of themselves when a model was compiled, by their names. */
    public static Map<String, String> infos(Model model) {
        var infos = new LinkedHashMap<String, String>();
        model.metadata().forEach((key, info) -> {
            if (key.startsWith(KEY) && !info.isEmpty()) {
                infos.put(key.substring(KEY.length()), info);
            }
        });
        return infos;
    }

    /** What a provider says of what it once said of itself. Throws where it cannot tell. */
    public static Compatibility validate(ProviderFactory factory, List<HardwareDevice> hardware, String info) {
        try {
            return factory.validate(hardware, info);
        } catch (RuntimeException e) {
            throw new EngineException(
                    Status.FAIL,
                    "Failed to validate compiled model compatibility for EP " + factory.name() + ": " + e.getMessage(),
                    e);
        }
    }

    private static void judge(String provider, Compatibility compatibility, boolean failOnSuboptimal) {
        switch (compatibility) {
            case UNSUPPORTED ->
                throw new EngineException(
                        Status.FAIL,
                        "Compiled model is not supported by execution provider: " + provider
                                + ". Compile the source model again on this machine.");
            case PREFER_RECOMPILATION -> {
                String message = "Compiled model is suboptimal for execution provider: " + provider
                        + ". Recompilation recommended for better performance.";
                if (failOnSuboptimal) {
                    throw new EngineException(Status.FAIL, message);
                }
                System.getLogger(CompatibilityCheck.class.getName()).log(System.Logger.Level.WARNING, message);
            }
            case OPTIMAL, NOT_APPLICABLE -> {}
        }
    }
}
