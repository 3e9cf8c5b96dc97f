package dev.millrace.cli.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.fire.Net;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tensor of more elements than a Java array has: what needs no such array computes with it, the rest says why not. */
@Tag("slow")
class LargeTensorsIT {
    private static final long COUNT = (1L << 31) + 5;
    private static final long PLACE = COUNT - 2;

    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(2).build());
    private Tensor large = Tensor.scalar(0f);

    /** Zeros but for one element near the end, which take no room on the disk. */
    @BeforeEach
    void map(@TempDir Path folder) throws IOException {
        try (var file = new RandomAccessFile(folder.resolve("zeros").toFile(), "rw")) {
            file.setLength(COUNT);
            file.seek(PLACE);
            file.write(7);
            MemorySegment memory = file.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, COUNT, Arena.ofAuto());
            large = Tensor.wrap(ElementType.UINT8, Shape.of(1, COUNT), memory);
        }
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private long[] run(Function<Net, Value> node) {
        Net net = Net.named("large");
        byte[] model = net.output(node.apply(net)).bytes();
        try (Session session = engine.session(model, SessionOptions.defaults());
                var outputs = session.run(Inputs.of("x", large))) {
            return outputs.get(0).longs();
        }
    }

    private static Value x(Net net) {
        return net.input("x", ElementType.UINT8, 1, COUNT);
    }

    @Test
    void partsAreTakenOutOfIt() {
        Map<String, Integer> last = Map.of("axis", 1);
        assertThat(run(net -> net.op("Slice", x(net), net.longs(PLACE), net.longs(COUNT), net.longs(1))))
                .containsExactly(7, 0);
        assertThat(run(net -> net.op("Gather", last, x(net), net.longs(PLACE, -2, 0))))
                .containsExactly(7, 7, 0);
        assertThat(run(net -> net.op("GatherND", x(net), net.constant(Tensor.copyOf(new long[] {0, PLACE}, 1, 2)))))
                .containsExactly(7);
        assertThat(run(net -> net.op("Size", x(net)))).containsExactly(COUNT);
    }

    @Test
    void allOfItIsReduced() {
        assertThat(run(net -> net.op("ReduceMax", x(net)))).containsExactly(7);
        assertThat(run(net -> net.op("ArgMax", Map.of("axis", 1), x(net)))).containsExactly(PLACE);
    }

    @Test
    void whatNeedsAnArrayOfItSaysSo() {
        refuses(net -> net.ops("TopK", 2, Map.of(), x(net), net.longs(2)).getFirst(), "TopK", String.valueOf(COUNT));
        refuses(net -> net.op("NonZero", x(net)), "NonZero", String.valueOf(COUNT));
        refuses(
                net -> {
                    Value longs = net.op("Cast", Map.of("to", ElementType.INT32.code()), x(net));
                    return net.op("CumSum", longs, net.constant(Tensor.scalar(1L)));
                },
                "elements of a lane",
                String.valueOf(COUNT));
        refuses(net -> net.op("Cast", Map.of("to", ElementType.STRING.code()), x(net)), String.valueOf(COUNT));
    }

    private void refuses(Function<Net, Value> node, String... words) {
        assertThatThrownBy(() -> run(node))
                .isInstanceOf(EngineException.class)
                .hasMessageContainingAll(words)
                .hasMessageNotContaining("overflow");
    }
}
