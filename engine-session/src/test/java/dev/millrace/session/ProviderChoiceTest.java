package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.Status;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProviderChoiceTest {
    @Test
    void theSameOptionsAreTheSameText() {
        Map<String, String> values = new LinkedHashMap<>();
        for (String key : new String[] {"tune", "portable", "strict", "c", "b", "a"}) {
            values.put(key, "true");
        }

        assertThat(new ProviderChoice("simd", values).toString())
                .contains("{a=true, b=true, c=true, portable=true, strict=true, tune=true}");
    }

    @Test
    void optionsAreCopied() {
        Map<String, String> values = new HashMap<>(Map.of("a", "1"));
        var choice = new ProviderChoice("simd", values);
        values.put("b", "2");
        assertThat(choice.options()).isEqualTo(Map.of("a", "1"));
    }

    @Test
    @Rows(121)
    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // nulls are what is tried
    void keysAndValuesThatAreNullAreRefusedWithTheirProvider() {
        var builder = SessionOptions.builder();
        for (Map<String, String> options : List.of(
                Collections.<String, String>singletonMap(null, "1"),
                Collections.<String, String>singletonMap("b", null))) {
            CompiledTest.assertRefused(
                    Status.INVALID_ARGUMENT, () -> builder.provider("simd", options), "option", "'simd'");
        }
        CompiledTest.assertRefused(Status.INVALID_ARGUMENT, () -> builder.provider("simd", null), "'options'");
        CompiledTest.assertRefused(Status.INVALID_ARGUMENT, () -> builder.provider(null), "'name'");
    }

    @Test
    @Rows(121)
    void anEmptyKeyIsOneThatNoProviderHasAndAnEmptyValueIsAValue() {
        assertThat(new ProviderChoice("mine", Map.of("a", "")).options()).containsEntry("a", "");
        for (String provider : List.of("simd", "cpu")) {
            var options = SessionOptions.builder().provider(provider, Map.of("", "1"));
            try (Engine engine =
                    Engine.create(EngineOptions.builder().threads(1).build())) {
                CompiledTest.assertRefused(
                        Status.INVALID_ARGUMENT,
                        () -> engine.session(TestModels.perceptron(1, 4, 1), options.build()),
                        "provider '" + provider + "' has no option ''");
            }
        }
    }
}
