package dev.millrace.session.modelpackage;

import dev.millrace.epcontext.CompatibilityCheck;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.session.ProviderChoice;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.prepare.Environment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Chooses among the variants of a component, and says what its session is to be made with: the providers are asked in their
 * order, and the first that has a variant takes the one that it says suits best; of equals the one that it selects, by default
 * the first that is declared.
 */
public record VariantChoice(Variant variant, String provider) {
    private static final int UNFIT = -1;
    private static final int UNKNOWN = 0;
    private static final int USABLE = 50;
    private static final int BEST = 100;

    public static VariantChoice of(
            OpenModelPackage pack, String component, List<ProviderChoice> choices, Environment environment) {
        List<Variant> variants = pack.variantsOf(component);
        List<String> providers = choices.stream().map(ProviderChoice::name).toList();
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
        var best = new LinkedHashMap<Variant, Variant.Target>();
        int most = UNFIT;
        for (Variant variant : variants) {
            for (Variant.Target target : variant.targets()) {
                int score = score(target, factory, environment);
                if (score > most) {
                    most = score;
                    best.clear();
                }
                if (score == most && score != UNFIT) {
                    best.putIfAbsent(variant, target);
                }
            }
        }
        return best.size() < 2 ? best.keySet().stream().findFirst().orElse(null) : oneOf(best, factory, environment);
    }

    /** Lets the provider choose among variants that are equally good; null where it takes none of them. */
    private static @Nullable Variant oneOf(
            Map<Variant, Variant.Target> equals, ProviderFactory factory, Environment environment) {
        List<Map<String, String>> candidates = equals.entrySet().stream()
                .map(each -> Map.of(
                        "variant", each.getKey().name(),
                        "device", each.getValue().device(),
                        "compatibility", each.getValue().compatibility()))
                .toList();
        List<ProviderDevice> devices = environment.devices(factory.name());
        int index = devices.isEmpty()
                ? 0
                : ProviderGuard.call(
                        factory.name(),
                        () -> factory.selectModel(devices.getFirst().hardware(), candidates));
        List<Variant> variants = List.copyOf(equals.keySet());
        return index < 0 || index >= variants.size() ? null : variants.get(index);
    }

    private static int score(Variant.Target target, ProviderFactory factory, Environment environment) {
        boolean drives = target.device().isEmpty()
                || environment.devices(factory.name()).stream()
                        .anyMatch(device -> device.hardware().type().name().equalsIgnoreCase(target.device()));
        if (!isNamed(factory, target.provider()) || !drives) {
            return UNFIT;
        }
        if (target.compatibility().isEmpty()) {
            return UNKNOWN;
        }
        return switch (CompatibilityCheck.validate(
                factory, environment.hardware(factory.name()), target.compatibility())) {
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

    /**
     * The options of a session of the variant: those that are given, and what the variant sets besides.
     *
     * @param choices the providers that the session asks, in their order
     */
    public SessionOptions options(SessionOptions sessionOptions, List<ProviderChoice> choices) {
        SessionOptions.Builder options = sessionOptions.toBuilder();
        variant.sessionOptions().forEach((key, value) -> {
            if (sessionOptions.config(key).equals(SessionOptions.defaults().config(key))) {
                options.config(key, value);
            }
        });
        if (variant.providerOptions().isEmpty()) {
            return options.build();
        }
        return options.devicePolicy(null)
                .providers(choices.stream()
                        .map(choice -> choice.name().equals(provider)
                                        && choice.options().isEmpty()
                                ? new ProviderChoice(provider, variant.providerOptions(), choice.devices())
                                : choice)
                        .toList())
                .build();
    }
}
