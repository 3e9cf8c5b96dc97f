package dev.millrace.example.npu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.spi.CompiledGraph;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests containers, which come from outside. */
class NpuContainerTest {
    private static final NpuTarget HERE = new NpuTarget("1.2.0", 4, 1);
    private static final int MUTANTS = 20_000;

    private final NpuProgram program = program();
    private final byte[] written = NpuContainer.write(program, HERE);

    private static NpuProgram program() {
        Graph graph = Models.read(QuantisedModels.layers(2, 1), null).graph();
        TypeInference.infer(graph);
        return NpuCompiler.compile(graph);
    }

    private NpuProgram read(byte[] plan, NpuTarget target) {
        return NpuContainer.read(new Kept(plan, program.constants()), target);
    }

    @Test
    void aContainerIsReadAsItWasWritten() {
        assertThat(read(written, HERE)).isEqualTo(program);
    }

    @Test
    void aContainerForOthersIsRefused() {
        assertRefused(written, new NpuTarget("1.2.0", 5, 1), "it is for driver 4, and this is driver 5");
        assertRefused(written, new NpuTarget("1.2.0", 4, 2), "it is for generation 1, and this is generation 2");
        assertRefused(new byte[64], HERE, "no container of format 1");
        for (int length = 0; length < written.length; length += 7) {
            assertRefused(Arrays.copyOf(written, length), HERE, "it ends too early");
        }
    }

    private void assertRefused(byte[] plan, NpuTarget target, String why) {
        assertThatThrownBy(() -> read(plan, target))
                .isInstanceOfSatisfying(
                        EngineException.class,
                        refused -> assertThat(refused.status()).isEqualTo(Status.INVALID_GRAPH))
                .hasMessageContainingAll(why, "compile the model again");
    }

    /** Flips bits: a container is refused in words, or it is a program whose shapes fit together or are refused. */
    @Test
    void damagedContainersAreRefusedInWords() {
        var random = new Random(1);
        int refused = 0;
        for (int i = 0; i < MUTANTS; i++) {
            byte[] mutant = written.clone();
            mutant[random.nextInt(mutant.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                read(mutant, HERE).shapes(List.of(Shape.of(2, 128)));
            } catch (EngineException e) {
                assertThat(e.status()).isIn(Status.INVALID_GRAPH, Status.INVALID_ARGUMENT);
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(MUTANTS / 4);
    }

    private record Kept(byte[] bytes, List<NpuProgram.Constant> constants) implements CompiledGraph {
        @Override
        public String partition() {
            return "kept";
        }

        @Override
        public MemorySegment plan() {
            return MemorySegment.ofArray(bytes);
        }

        @Override
        public int segmentCount() {
            return constants.size();
        }

        @Override
        public MemorySegment segment(int index) {
            return constants.get(index).data();
        }
    }
}
