package dev.millrace.session.modelpackage;

import dev.millrace.epcontext.CompatibilityCheck;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.session.ProviderChoice;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.prepare.Environment;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Chooses among the variants of a component, and says what its session is to be made with: the providers are asked in their
 * order, and the first that has a variant takes the one that it says suits best; of equals the first that is declared.
 */
public record VariantChoice(Variant variant, String provider) {
    private static final int UNFIT = -1;
    private static final int UNKNOWN = 0;
    private static final int USABLE = 50;
    private static final int BEST = 100;

    public static VariantChoice of(
            OpenModelPackage pack, String component, SessionOptions options, Environment environment) {
        List<Variant> variants = pack.variantsOf(component);
        List<String> providers = options.providers().isEmpty()
                ? environment.providers()
                : options.providers().stream().map(ProviderChoice::name).toList();
        for (String provider : providers) {
            Variant best = best(variants, environment.factory(provider), environment);
            if (best != null) {
                return new VariantChoice(best, provider);
            }
        }
        for (Variant variant : variants) {
            if (variant.targets().isEmpty()) {
                return new VariantChoice(variant, providers.getFirst());
            }
        }
        throw new EngineException(
                Status.FAIL,
                "No suitable model variant found for the configured execution providers. Component '" + component
                        + "' of " + pack.folder() + " has " + pack.variants(component) + ", and the providers are "
                        + providers);
    }

    private static @Nullable Variant best(List<Variant> variants, ProviderFactory factory, Environment environment) {
        Variant best = null;
        int most = UNFIT;
        for (Variant variant : variants) {
            for (Variant.Target target : variant.targets()) {
                int score = score(target, factory, environment);
                if (score > most) {
                    most = score;
                    best = variant;
                }
            }
        }
        return best;
    }

    private static int score(Variant.Target target, ProviderFactory factory, Environment environment) {
        boolean drives = target.device().isEmpty()
                || factory.devices(environment.hardware()).stream()
                        .anyMatch(device -> device.hardware().type().name().equalsIgnoreCase(target.device()));
        if (!isNamed(factory, target.provider()) || !drives) {
            return UNFIT;
        }
        if (target.compatibility().isEmpty()) {
            return UNKNOWN;
        }
        return switch (CompatibilityCheck.validate(factory, environment.hardware(), target.compatibility())) {
            case OPTIMAL -> BEST;
            case PREFER_RECOMPILATION -> USABLE;
            case NOT_APPLICABLE -> UNKNOWN;
            case UNSUPPORTED -> UNFIT;
        };
    }

    /** Whether packages call a provider so: by its name, or as ONNX Runtime calls such a one. */
    private static boolean isNamed(ProviderFactory factory, String name) {
        return name.equals(factory.name()) || name.equalsIgnoreCase(factory.name() + "ExecutionProvider");
    }

    /** The options of a session of the variant: those that are given, and what the variant sets besides. */
    public SessionOptions options(SessionOptions sessionOptions, Environment environment) {
        SessionOptions.Builder options = sessionOptions.toBuilder();
        variant.sessionOptions().forEach((key, value) -> {
            if (sessionOptions.config(key).equals(SessionOptions.defaults().config(key))) {
                options.config(key, value);
            }
        });
        if (variant.providerOptions().isEmpty()) {
            return options.build();
        }
        List<ProviderChoice> providers = sessionOptions.providers().isEmpty()
                ? environment.providers().stream()
                        .map(name -> new ProviderChoice(name, Map.of()))
                        .toList()
                : sessionOptions.providers();
        return options.providers(providers.stream()
                        .map(choice -> choice.name().equals(provider)
                                        && choice.options().isEmpty()
                                ? new ProviderChoice(provider, variant.providerOptions())
                                : choice)
                        .toList())
                .build();
    }
}
