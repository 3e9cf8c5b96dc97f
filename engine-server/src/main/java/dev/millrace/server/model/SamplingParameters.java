package dev.millrace.server.model;

import dev.millrace.graph.EngineException;
import dev.millrace.session.generate.GenerationOptions;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The options of a generation, read from what a caller sent under the names that OpenAI gave them. */
public final class SamplingParameters {
    private static final int MOST_BIAS = 100;

    private final Map<String, ? extends @Nullable Object> values;

    public SamplingParameters(Map<String, ? extends @Nullable Object> values) {
        this.values = values;
    }

    /** Returns the defaults of a model, changed by what the caller sent. */
    public GenerationOptions options(GenerationOptions defaults) {
        var options = defaults.toBuilder();
        // the later of both names counts
        Long completed = whole("max_completion_tokens");
        ifSent(completed == null ? whole("max_tokens") : completed, count -> options.maxTokens(limited(count)));
        ifSent(whole("top_k"), count -> options.topK(limited(count)));
        ifSent(whole("seed"), options::seed);
        ifSent(number("temperature"), options::temperature);
        ifSent(number("top_p"), options::topP);
        ifSent(number("min_p"), options::minP);
        ifSent(number("frequency_penalty"), options::frequencyPenalty);
        ifSent(number("presence_penalty"), options::presencePenalty);
        ifSent(number("repetition_penalty"), options::repetitionPenalty);
        addLogitBias(options);
        return options.build();
    }

    private static <T> void ifSent(@Nullable T value, Consumer<T> setter) {
        if (value != null) {
            setter.accept(value);
        }
    }

    private static int limited(long count) {
        return Math.clamp(count, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    private void addLogitBias(GenerationOptions.Builder options) {
        switch (values.get("logit_bias")) {
            case null -> {}
            case Map<?, ?> biases ->
                biases.forEach((token, bias) -> {
                    if (!(bias instanceof Number number) || Math.abs(number.doubleValue()) > MOST_BIAS) {
                        throw EngineException.invalidArgument(
                                "'logit_bias' of a token is a number from -" + MOST_BIAS + " to " + MOST_BIAS);
                    }
                    options.logitBias(tokenId(String.valueOf(token)), forbidding(number.doubleValue()));
                });
            default -> throw EngineException.invalidArgument("'logit_bias' is an object of numbers by tokens' ids");
        }
    }

    private static long tokenId(String token) {
        try {
            return Long.parseLong(token);
        } catch (NumberFormatException e) {
            throw EngineException.invalidArgument("'logit_bias' has '" + token + "', which is no token's id");
        }
    }

    /** Returns the bias, or minus infinity for the least one, which forbids a token. */
    private static double forbidding(double bias) {
        return bias == -MOST_BIAS ? Double.NEGATIVE_INFINITY : bias;
    }

    /** The texts that end a generation. */
    public String[] stops() {
        return switch (values.get("stop")) {
            case null -> new String[0];
            case String text -> new String[] {text};
            case List<?> texts when texts.stream().allMatch(String.class::isInstance) -> texts.toArray(new String[0]);
            default -> throw EngineException.invalidArgument("'stop' is a text or a list of texts");
        };
    }

    private @Nullable Double number(String name) {
        return switch (values.get(name)) {
            case null -> null;
            case Number number -> number.doubleValue();
            default -> throw EngineException.invalidArgument("'" + name + "' is a number");
        };
    }

    private @Nullable Long whole(String name) {
        return switch (values.get(name)) {
            case null -> null;
            case Long number -> number;
            default -> throw EngineException.invalidArgument("'" + name + "' is a whole number");
        };
    }
}
