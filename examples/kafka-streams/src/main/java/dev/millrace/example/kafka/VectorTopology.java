package dev.millrace.example.kafka;

import dev.millrace.text.Embedder;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.jspecify.annotations.Nullable;

/** The topology: texts in, vectors out, under the same keys. */
public final class VectorTopology {
    /** The topic of texts. */
    public static final String TEXTS = "texts";

    /** The topic of vectors. */
    public static final String VECTORS = "vectors";

    private VectorTopology() {}

    /** Creates the topology. The embedder stays the caller's, and serves all threads. */
    public static Topology of(Embedder embedder) {
        var builder = new StreamsBuilder();
        builder.stream(TEXTS, Consumed.with(Serdes.String(), Serdes.String()))
                .processValues(() -> new VectorProcessor(embedder))
                .to(VECTORS, Produced.with(Serdes.String(), vectors()));
        return builder.build();
    }

    /** A processor that answers a record before it takes the next, as exactly-once processing wants it. */
    private static final class VectorProcessor extends ContextualFixedKeyProcessor<String, String, float[]> {
        private final Embedder embedder;

        VectorProcessor(Embedder embedder) {
            this.embedder = embedder;
        }

        @Override
        public void process(FixedKeyRecord<String, String> text) {
            @Nullable String value = text.value();
            if (value != null) {
                // mono, not embed: only requests of mono share runs in a batched session
                context()
                        .forward(text.withValue(
                                Objects.requireNonNull(embedder.mono(value).block())));
            }
        }
    }

    /** Returns the form of vectors in a topic: their numbers in four bytes each, the highest first. */
    public static Serde<float[]> vectors() {
        return Serdes.serdeFrom(
                (topic, vector) -> {
                    var bytes = ByteBuffer.allocate(vector.length * Float.BYTES);
                    bytes.asFloatBuffer().put(vector);
                    return bytes.array();
                },
                (topic, bytes) -> {
                    float[] vector = new float[bytes.length / Float.BYTES];
                    ByteBuffer.wrap(bytes).asFloatBuffer().get(vector);
                    return vector;
                });
    }
}
