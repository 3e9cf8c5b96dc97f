package dev.millrace.providers.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClaimsTest {
    private final PartitionUnderTest part = new PartitionUnderTest(1);
    private final List<List<String>> claims = new ArrayList<>();

    private List<List<String>> claimed() {
        PartitionUnderTest.provider().claim(part.graph, new CapabilitySink() {
            @Override
            public void fuse(Collection<Node> nodes) {
                claims.add(nodes.stream().map(node -> node.op().name()).toList());
            }

            @Override
            public void single(Node node) {
                throw new AssertionError("it only compiles");
            }

            @Override
            public @Nullable Kernel lookUpKernel(Node node) {
                return null;
            }

            @Override
            public boolean isTaken(Node node) {
                return node.op().name().equals("Abs");
            }
        });
        return claims;
    }

    @Test
    void productsAndChainsAreClaimedInOneGo() {
        Value x = part.input(4, 8);
        Value product = part.op("MatMul", x, part.constant(8, 8));
        Value other = part.op("MatMul", product, product);
        part.output(part.op("Mul", part.op("Relu", other), other));
        assertThat(claimed()).containsExactly(List.of("MatMul", "Relu", "Mul"));
    }

    @Test
    void aLonelyCheapNodeIsLeftAndALonelyCostlyOneTaken() {
        Value x = part.input(4, 8);
        part.output(part.op("Add", x, part.input(8)));
        part.output(part.op("Gelu", x));
        assertThat(claimed()).containsExactly(List.of("Gelu"));
    }

    @Test
    void unknownAndOtherTypesAreLeft() {
        Value x = part.input(4, 8);
        Value a = part.op("Tanh", x);
        Value b = part.op("Tanh", a);
        part.editor.setType(b, null);
        Value c = part.op("Tanh", part.editor.addInput("d", ValueType.tensor(ElementType.DOUBLE, Shape.of(3))));
        part.editor.setType(c, ValueType.tensor(ElementType.DOUBLE));
        part.output(b);
        part.output(c);
        assertThat(claimed()).containsExactly(List.of("Tanh"));
    }

    @Test
    void whatAnotherHasIsLeft() {
        part.output(part.op("Abs", part.op("Sigmoid", part.input(4, 8))));
        assertThat(claimed()).containsExactly(List.of("Sigmoid"));
    }

    @Test
    void everyOwnContextNodeIsClaimedAloneAndNoOther() {
        Value x = part.input(4, 8);
        for (String source : List.of("simd", "opencl", "simd")) {
            Attributes attributes = Attributes.of(EpContext.SOURCE, Attribute.of(source));
            Node node = part.editor.append(
                    new NodeSpec(EpContext.OP, 1, source, "", List.of(x), attributes),
                    List.of("y" + part.graph.nodeCount()));
            part.output(node.requireOutput(0));
        }
        assertThat(claimed()).containsExactly(List.of("EPContext"), List.of("EPContext"));
    }

    @Test
    void formsThatNoRuleCoversAreLeft() {
        Value x = part.input(8, 8);
        Value clipped = part.op("Clip", x, part.constant(0f), part.input());
        Value power = part.op("Pow", clipped, part.constant(2.5f));
        Value mean = part.op("Mean", power, x);
        Attributes turned = Attributes.of("transA", Attribute.of(1));
        part.output(part.op(OpId.onnx("Gemm"), turned, mean, part.constant(8, 8)));
        assertThat(claimed()).isEmpty();
    }

    @Test
    void theFactoryIsFoundAndJudgesWhatItWrote() {
        ProviderFactory factory = ServiceLoader.load(ProviderFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(one -> one.name().equals("simd"))
                .findFirst()
                .orElseThrow();
        List<HardwareDevice> cpu = List.of(HardwareDevice.hostCpu());
        String info = factory.create(factory.devices(cpu), new ProviderOptions(1, Map.of()))
                .compatibilityInfo(part.graph);
        assertThat(factory.devices(cpu)).hasSize(1);
        assertThat(factory.validate(cpu, info)).isEqualTo(Compatibility.OPTIMAL);
        assertThat(factory.validate(cpu, info + "x")).isEqualTo(Compatibility.UNSUPPORTED);
        assertThat(factory.validate(List.of(), info)).isEqualTo(Compatibility.UNSUPPORTED);
        assertThat(factory.validate(cpu, "opencl;1")).isEqualTo(Compatibility.NOT_APPLICABLE);
        assertThatThrownBy(() -> factory.create(List.of(), new ProviderOptions(1, Map.of("speed", "high"))))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("speed");
    }
}
