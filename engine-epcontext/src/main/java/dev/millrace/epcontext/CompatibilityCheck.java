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

/** Asks providers, before the graph is partitioned, whether they still run the parts of a model that they compiled. */
public final class CompatibilityCheck {
    private static final String KEY = "ep_compatibility_info.";

    private CompatibilityCheck() {}

    /**
     * Returns the key of the model's metadata entry that holds {@code provider}'s compatibility
     * text from when the model was compiled.
     */
    static String key(String provider) {
        return KEY + provider;
    }

    /**
     * Throws if a provider no longer runs the parts that it compiled.
     *
     * @param providers the providers, each with the devices that the model is to run on
     * @param failOnSuboptimal also throws if it runs them, but would be faster if the model were compiled again
     */
    public static void check(
            Model model, Map<ProviderFactory, List<HardwareDevice>> providers, boolean failOnSuboptimal) {
        providers.forEach((factory, devices) -> {
            String info = model.metadata().getOrDefault(key(factory.name()), "");
            if (!info.isEmpty()) {
                judge(factory.name(), validate(factory, devices, info), failOnSuboptimal);
            }
        });
    }

    /** Returns the compatibility texts in a model, by the names of the providers that wrote them. */
    public static Map<String, String> infos(Model model) {
        var infos = new LinkedHashMap<String, String>();
        model.metadata().forEach((key, info) -> {
            if (key.startsWith(KEY) && !info.isEmpty()) {
                infos.put(key.substring(KEY.length()), info);
            }
        });
        return infos;
    }

    /** Returns a provider's verdict on a compatibility text that it once wrote. Throws if it cannot tell. */
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
