package dev.millrace.providers.simd.weights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.PackedTensors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WeightsTest {
    private static final int COUNT = 10_000;

    private final PackedTensors shared = new PackedTensors();
    private final AtomicInteger packings = new AtomicInteger();

    private static Tensor weights(int changed) {
        float[] numbers = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            numbers[i] = i;
        }
        numbers[changed]++;
        return Tensor.copyOf(numbers, COUNT);
    }

    private Weights session(Tensor... constants) {
        var graph = Graph.named("model");
        var editor = new GraphEditor(graph);
        for (int i = 0; i < constants.length; i++) {
            editor.addConstant("w" + i, constants[i]);
        }
        var session = new Weights(shared);
        session.own(graph);
        return session;
    }

    private MemorySegment packed(Weights session, Tensor source, String layout) {
        MemorySegment memory = session.packed(
                List.of(source), Layout.of(layout, source.segment().byteSize()), target -> {
                    packings.incrementAndGet();
                    target.copyFrom(source.segment());
                });
        session.finish(() -> {});
        return memory;
    }

    @Test
    void sessionsOfTheSameContentHoldItOnce() {
        Tensor one = weights(5);
        Tensor same = weights(5);
        Weights first = session(one);
        MemorySegment memory = packed(first, one, "panels");
        assertThat(packed(session(same), same, "panels").address()).isEqualTo(memory.address());
        assertThat(packed(first, one, "panels").address()).isEqualTo(memory.address());
        assertThat(packings).hasValue(1);
    }

    @Test
    void whatOneCannotPackAnotherCan() {
        Tensor one = weights(5);
        Tensor same = weights(5);
        Weights first = session(one);
        first.packed(List.of(one), Layout.of("panels", one.segment().byteSize()), _ -> {
            throw new IllegalStateException("cannot be read any more");
        });
        assertThatThrownBy(() -> first.finish(() -> {})).hasMessage("cannot be read any more");
        MemorySegment memory = packed(session(same), same, "panels");
        assertThat(memory.mismatch(same.segment())).isNegative();
        assertThat(packings).hasValue(1);
    }

    @Test
    void oneBindingFailsForWhatItAskedForOnly() {
        Tensor one = weights(5);
        Tensor other = weights(6);
        Weights session = session(one, other);
        Weights failing = session.ofBinding();
        failing.packed(List.of(one), Layout.of("panels", one.segment().byteSize()), _ -> {
            throw new IllegalStateException("cannot be read any more");
        });
        Weights working = session.ofBinding();
        MemorySegment memory = packed(working, other, "panels");
        assertThat(memory.mismatch(other.segment())).isNegative();
        assertThatThrownBy(() -> failing.finish(() -> {})).hasMessage("cannot be read any more");
    }

    @Test
    void aDifferenceBetweenTheSamplesIsADifference() {
        for (int changed : new int[] {0, 1, 333, COUNT / 2, COUNT - 1}) {
            Tensor one = weights(7);
            Tensor other = weights(changed);
            MemorySegment memory = packed(session(one), one, "panels");
            MemorySegment others = packed(session(other), other, "panels");
            assertThat(others.address()).isNotEqualTo(memory.address());
            assertThat(others.mismatch(other.segment())).isNegative();
        }
    }

    @Test
    void anotherLayoutIsPackedForItself() {
        Tensor one = weights(5);
        Tensor same = weights(5);
        MemorySegment memory = packed(session(one), one, "panels");
        assertThat(packed(session(same), same, "blocks").address()).isNotEqualTo(memory.address());
    }

    @Test
    void whatNobodyUsesIsForgotten() throws InterruptedException {
        Tensor one = weights(5);
        packed(session(one), one, "panels");
        for (int i = 0; i < 50 && packings.get() == 1; i++) {
            System.gc();
            // the collector tells of what it has cleared a little later, on a thread of its own
            Thread.sleep(20);
            Tensor same = weights(5);
            packed(session(same), same, "panels");
        }
        assertThat(packings).hasValueGreaterThan(1);
    }

    @Test
    void weightsOfAClosedModelAreNotCompared(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("weights");
        Files.write(file, weights(3).segment().toArray(ValueLayout.JAVA_BYTE));
        Tensor same = weights(3);
        Weights second = session(same);
        Weights first;
        try (Arena arena = Arena.ofShared();
                FileChannel channel = FileChannel.open(file)) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            Tensor one = Tensor.wrap(ElementType.FLOAT, Shape.of(COUNT), mapped);
            first = session(one);
            assertThat(packed(first, one, "panels").mismatch(mapped)).isNegative();
            assertThat(mapped.getAtIndex(ValueLayout.JAVA_FLOAT, 4)).isEqualTo(4);
        }
        assertThat(packed(second, same, "panels").mismatch(same.segment())).isNegative();
        assertThat(first.bytes()).isEqualTo(4L * COUNT);
    }
}
