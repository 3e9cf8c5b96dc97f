package dev.millrace.epcontext;

import static dev.millrace.epcontext.Fixtures.chain;
import static dev.millrace.epcontext.Fixtures.model;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Model;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompatibilityCheckTest {
    private static final List<HardwareDevice> HARDWARE = List.of(HardwareDevice.hostCpu());

    private final List<String> asked = new ArrayList<>();

    /** Answers with what a function says, and makes no provider. */
    private record Factory(String name, Function<String, Compatibility> answer) implements ProviderFactory {
        @Override
        public String vendor() {
            return "test";
        }

        @Override
        public String version() {
            return "1.0.0";
        }

        @Override
        public List<ProviderDevice> devices(List<HardwareDevice> hardware) {
            return List.of();
        }

        @Override
        public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
            throw new AssertionError("no provider is made before the check");
        }

        @Override
        public Compatibility validate(List<HardwareDevice> devices, String info) {
            assertThat(devices).isNotEmpty();
            return answer.apply(info);
        }
    }

    private ProviderFactory factory(String name, Compatibility answer) {
        return new Factory(name, info -> {
            asked.add(name + "=" + info);
            return answer;
        });
    }

    private static Model compiled(Map<String, String> metadata) {
        return model(chain("Relu"), null).withMetadata(metadata);
    }

    private static void assertFails(Model model, ProviderFactory factory, boolean strict, String... parts) {
        assertThatThrownBy(() -> CompatibilityCheck.check(model, Map.of(factory, HARDWARE), strict))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.FAIL))
                .hasMessageContainingAll(parts);
    }

    @Test
    void eachProviderIsAskedAboutItsOwnString() {
        Model model = compiled(Map.of(
                "ep_compatibility_info.a", "v1", "ep_compatibility_info.b", "v2", "ep_compatibility_info.gone", "v3"));

        var providers = new LinkedHashMap<ProviderFactory, List<HardwareDevice>>();
        providers.put(factory("a", Compatibility.OPTIMAL), HARDWARE);
        providers.put(factory("b", Compatibility.NOT_APPLICABLE), HARDWARE);
        CompatibilityCheck.check(model, providers, true);

        assertThat(asked).containsExactly("a=v1", "b=v2");
    }

    @Test
    void nobodyIsAskedAboutAModelThatSaysNothing() {
        Map<ProviderFactory, List<HardwareDevice>> factories =
                Map.of(factory("a", Compatibility.UNSUPPORTED), HARDWARE);

        CompatibilityCheck.check(compiled(Map.of()), factories, true);
        CompatibilityCheck.check(compiled(Map.of("ep_compatibility_info.a", "")), factories, true);

        assertThat(asked).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"OPTIMAL", "NOT_APPLICABLE"})
    void whatFitsIsLoadedWithoutAWord(Compatibility answer) {
        Model model = compiled(Map.of("ep_compatibility_info.a", "v1"));

        try (var log = new Warnings(CompatibilityCheck.class)) {
            CompatibilityCheck.check(model, Map.of(factory("a", answer), HARDWARE), true);
            assertThat(log.messages()).isEmpty();
        }
        assertThat(asked).hasSize(1);
    }

    @Test
    void whatIsSlowerThanItCouldBeIsAWarningOrAFailure() {
        Model model = compiled(Map.of("ep_compatibility_info.a", "v1"));
        ProviderFactory factory = factory("a", Compatibility.PREFER_RECOMPILATION);

        try (var log = new Warnings(CompatibilityCheck.class)) {
            CompatibilityCheck.check(model, Map.of(factory, HARDWARE), false);
            assertThat(log.messages()).singleElement().asString().contains("WARNING", "suboptimal", "a");
        }
        assertFails(model, factory, true, "suboptimal for execution provider: a");
    }

    @Test
    void whatIsNotSupportedFailsInAnyCase() {
        Model model = compiled(Map.of("ep_compatibility_info.a", "v1"));

        assertFails(model, factory("a", Compatibility.UNSUPPORTED), false, "not supported by execution provider: a");
    }

    @Test
    void aProviderThatCannotTellFailsWithItsReason() {
        Model model = compiled(Map.of("ep_compatibility_info.a", "v1"));
        var broken = new Factory("a", info -> {
            throw new IllegalArgumentException("cannot read " + info);
        });

        assertFails(model, broken, false, "Failed to validate", "EP a", "cannot read v1");
    }
}
