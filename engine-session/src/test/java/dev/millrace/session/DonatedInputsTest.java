package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DonatedInputsTest {
    private static final int ROOM = 64;
    private static final int WIDTH = 64;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Random random = new Random(5);

    private Tensor floats(long... dims) {
        Tensor tensor = Tensor.allocate(ElementType.FLOAT, Shape.of(dims));
        for (long i = 0; i < tensor.elements(); i++) {
            tensor.segment().setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, random.nextFloat() - 0.5f);
        }
        return tensor;
    }

    private static Tensor mask(int count) {
        long[] ones = new long[ROOM];
        Arrays.fill(ones, 0, count, 1);
        return Tensor.copyOf(ones, 1, ROOM);
    }

    private static Tensor cache() {
        return cache(ElementType.FLOAT);
    }

    private static Tensor cache(ElementType type) {
        return Tensor.allocate(type, Shape.of(1, CachedAttention.KEY_HEADS, ROOM, CachedAttention.DEPTH));
    }

    private Session session(String provider, byte[] model) {
        SessionOptions.Builder options = SessionOptions.builder().provider(provider);
        return engine.session(
                model,
                provider.equals("cpu")
                        ? options.build()
                        : options.provider("cpu").build());
    }

    @ParameterizedTest
    @CsvSource({"simd, FLOAT", "cpu, FLOAT", "simd, FLOAT16", "cpu, FLOAT16", "simd, INT8", "cpu, INT8"})
    void aCacheIsWrittenInPlaceAndGivesWhatACopyGives(String provider, ElementType type) {
        try (Session session = session(provider, CachedAttention.bytes(type))) {
            Tensor keys = cache(type);
            Tensor values = cache(type);
            Tensor copiedKeys = cache(type);
            Tensor copiedValues = cache(type);
            for (int step = 0; step < 20; step++) {
                int now = step == 0 ? 7 : 1;
                Tensor x = type == ElementType.FLOAT16
                        ? RandomTensors.reals(type, Shape.of(1, now, WIDTH), () -> random.nextFloat() - 0.5)
                        : floats(1, now, WIDTH);
                Tensor mask = mask(7 + step);
                Outputs inPlace = session.run(
                        Inputs.of("x", x).and("mask", mask).donate("k", keys).donate("v", values));
                Outputs copied = session.run(
                        Inputs.of("x", x).and("mask", mask).and("k", copiedKeys).and("v", copiedValues));
                assertThat(inPlace.get("k_out")).isSameAs(keys);
                assertThat(inPlace.get("v_out")).isSameAs(values);
                copiedKeys = copied.get("k_out");
                copiedValues = copied.get("v_out");
                assertSame(keys, copiedKeys);
                assertSame(values, copiedValues);
                assertSame(inPlace.get("y"), copied.get("y"));
            }
        }
    }

    private static void assertSame(Tensor actual, Tensor expected) {
        assertThat(actual.segment().mismatch(expected.segment())).isNegative();
    }

    @Test
    void anInputThatIsNotDonatedIsLeftAsItIs() {
        try (Session session = session("simd", CachedAttention.bytes())) {
            Tensor keys = floats(1, CachedAttention.KEY_HEADS, ROOM, CachedAttention.DEPTH);
            float[] before = keys.floats();
            Outputs outputs = session.run(Inputs.of("x", floats(1, 1, WIDTH))
                    .and("mask", mask(9))
                    .and("k", keys)
                    .donate("v", cache()));
            assertThat(outputs.get("k_out")).isNotSameAs(keys);
            assertThat(keys.floats()).containsExactly(before);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"simd", "cpu"})
    void anInputThatAnotherNodeReadsIsCopied(String provider) {
        try (Session session = session(provider, CachedAttention.bytes(true))) {
            Tensor keys = floats(1, CachedAttention.KEY_HEADS, ROOM, CachedAttention.DEPTH);
            float[] before = keys.floats();
            Outputs outputs = session.run(Inputs.of("x", floats(1, 1, WIDTH))
                    .and("mask", mask(9))
                    .donate("k", keys)
                    .donate("v", cache()));
            assertThat(outputs.get("k_out")).isNotSameAs(keys);
            float[] read = outputs.get("read").floats();
            for (int i = 0; i < read.length; i++) {
                assertThat(read[i]).isEqualTo(-before[i]);
            }
        }
    }

    @Test
    void memoryOfTheCallerThatMayBeFreedOrIsReadOnlyIsCopied() {
        try (Session session = session("simd", CachedAttention.bytes());
                var arena = Arena.ofShared()) {
            Shape shape = cache().shape();
            Tensor confined = Tensor.wrap(
                    ElementType.FLOAT, shape, arena.allocate(cache().segment().byteSize(), 64));
            Tensor readOnly =
                    Tensor.wrap(ElementType.FLOAT, shape, cache().segment().asReadOnly());
            Outputs outputs = session.run(Inputs.of("x", floats(1, 1, WIDTH))
                    .and("mask", mask(9))
                    .donate("k", confined)
                    .donate("v", readOnly));
            assertThat(outputs.get("k_out")).isNotSameAs(confined);
            assertThat(outputs.get("v_out")).isNotSameAs(readOnly);
        }
    }

    @Test
    void aRunThatFailsLeavesTheDonatedTensorOpen() {
        try (Session session = session("simd", CachedAttention.bytes())) {
            Tensor keys = cache();
            Inputs wrong = Inputs.of("x", floats(1, 1, WIDTH - 1))
                    .and("mask", mask(9))
                    .donate("k", keys)
                    .donate("v", cache());
            assertThatThrownBy(() -> session.run(wrong)).isInstanceOf(EngineException.class);
            assertThat(keys.isClosed()).isFalse();
        }
    }

    @Test
    void aLaterAnswerOfTheSameNameIsNotDonated() {
        Tensor keys = cache();
        Inputs inputs = Inputs.empty().donate("k", keys);
        assertThat(inputs.snapshot().donated("k")).isSameAs(keys);
        assertThat(inputs.and("k", keys).donated("k")).isNull();
    }
}
