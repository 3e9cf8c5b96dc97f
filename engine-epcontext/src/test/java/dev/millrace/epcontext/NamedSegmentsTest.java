package dev.millrace.epcontext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.DataPlace;
import dev.millrace.graph.format.TensorPlacement;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.WeightlessMode;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of segments that context binaries name in their source, and of the table entries that name them. */
class NamedSegmentsTest {
    private static final int TRIALS = 2_000;
    private static final int TABLES_AT = 24;
    private static final int CHECKSUM_AT = 12;
    private static final long[] HOSTILE = {-1, 0, 1, 2, 17, 1 << 20, Integer.MAX_VALUE, 1L << 32, Long.MAX_VALUE - 8};

    private static final DataPlace PLACE = new DataPlace("net.data", 4096, 16);

    private final Tensor inside = Tensor.copyOf(new float[] {1, 2, 3, 4}, 4);
    private final Tensor outside = Tensor.copyOf(new float[] {5, 6, 7, 8}, 4);
    private final byte[] own = Fixtures.utf8("made by the provider");

    private Model model() {
        var editor = new GraphEditor(Graph.named("net"));
        editor.addConstant("inside", inside);
        editor.addConstant("outside", outside);
        return new Model(
                new Model.Header(10, "test", "1", "", 1, ""),
                Map.of(),
                Map.of(),
                Map.of(),
                editor.graph(),
                Path.of("here", "net.onnx"));
    }

    private SourceInitializers initializers(WeightlessMode mode) {
        var source = new SourceInitializers(mode);
        source.placed(outside.segment(), PLACE);
        source.add(model());
        return source;
    }

    private @Nullable TensorPlacement placement(WeightlessMode mode, String folder) {
        ContextOutput output = ContextOutputs.toFile(
                Path.of(folder, "net_ctx.onnx"), EpContextOptions.defaults(), WriteOptions.inline());
        return initializers(mode).tensors(model(), output).placement();
    }

    @Test
    void whatIsLeftOfExternalDataStaysWhereItIs() {
        TensorPlacement beside = Objects.requireNonNull(placement(WeightlessMode.EXTERNAL_ONLY, "here"));
        assertThat(beside.place("outside", outside)).isEqualTo(PLACE);
        assertThat(beside.place("inside", inside)).isNull();
        assertThat(placement(WeightlessMode.EXTERNAL_ONLY, "there")).isNull();
        assertThat(placement(WeightlessMode.NONE, "here")).isNull();
    }

    private byte[] image(WeightlessMode mode) {
        var writer = new ContextBinaryWriter("fast", initializers(mode));
        int[] numbers = {
            writer.segment(inside.segment()),
            writer.segment(MemorySegment.ofArray(own)),
            writer.segment(outside.segment())
        };
        writer.graph(Fixtures.partition("part"), Fixtures.utf8("plan"), numbers);
        return writer.toBytes();
    }

    private static ContextBinary open(byte[] image) {
        return ContextBinary.of(MemorySegment.ofArray(image), "test.bin");
    }

    private static List<Object> places(byte[] image) {
        return open(image).tables().segments().stream()
                .map(segment -> (Object) String.valueOf(segment.named()))
                .toList();
    }

    @Test
    void theModeSaysWhatIsNamed() {
        String external = "initializer 'outside' in 'net.data' at 4096";
        assertThat(places(image(WeightlessMode.NONE))).containsExactly("null", "null", "null");
        assertThat(places(image(WeightlessMode.EXTERNAL_ONLY))).containsExactly("null", "null", external);
        assertThat(places(image(WeightlessMode.ALL))).containsExactly("initializer 'inside'", "null", external);
    }

    @Test
    void whatIsHeldIsReadAndWhatIsNamedIsNot() {
        ContextBinary binary = open(image(WeightlessMode.ALL));
        binary.verify();
        binary.check();
        assertThat(Fixtures.bytes(binary.graph(0).segment(1))).isEqualTo(own);
        assertThatThrownBy(() -> binary.graph(0).segment(2))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("is not in it");
    }

    @Test
    void whatOlderWritersNamedIsRead() throws IOException {
        byte[] older;
        try (InputStream in = NamedSegmentsTest.class.getResourceAsStream("version2.bin")) {
            older = Objects.requireNonNull(in).readAllBytes();
        }
        assertThat(older[8]).isEqualTo((byte) 2);
        assertThat(places(older)).isEqualTo(places(image(WeightlessMode.ALL)));
        open(older).prove();
        assertThat(Fixtures.bytes(open(older).graph(0).segment(1))).isEqualTo(own);
    }

    /** An attacker's file has a correct checksum. */
    @Test
    void hostileNumbersInTheTablesAreRefusedOrWithoutEffect() {
        byte[] image = image(WeightlessMode.ALL);
        var random = new Random(20_260_103);
        int refused = 0;
        int tables =
                64 + (int) ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN).getLong(TABLES_AT);
        for (int trial = 0; trial < TRIALS; trial++) {
            ByteBuffer mutant = ByteBuffer.wrap(image.clone()).order(ByteOrder.LITTLE_ENDIAN);
            long value = HOSTILE[random.nextInt(HOSTILE.length)];
            if (random.nextBoolean()) {
                mutant.putInt(random.nextInt(tables / 4) * 4, (int) value);
            } else {
                mutant.putLong(random.nextInt(tables / 8) * 8, value);
            }
            mutant.putInt(CHECKSUM_AT, 0);
            var crc = new CRC32C();
            crc.update(mutant.array(), 0, tables);
            mutant.putInt(CHECKSUM_AT, (int) crc.getValue());
            try {
                assertThat(places(mutant.array())).hasSize(3);
            } catch (EngineException e) {
                assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH);
                assertThat(e).hasMessageContaining("test.bin");
                refused++;
            }
        }
        assertThat(refused).isBetween(TRIALS / 4, TRIALS - 1);
    }
}
