package dev.millrace.example.kafka;

import dev.millrace.session.BatchOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.text.Embedder;
import dev.millrace.text.Tokenizer;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;

/**
 * The service: one engine and one session for all threads of this instance. Kafka balances the partitions of the topic over
 * the instances that run.
 */
public final class VectorService {
    private VectorService() {}

    /** Runs the service: the brokers, and the folder with {@code model.onnx} and {@code tokenizer.json}. */
    public static void main(String[] arguments) {
        Path folder = Path.of(arguments[1]);
        Engine engine = Engine.create();
        Session session = engine.session(folder.resolve("model.onnx"));
        // A thread waits for each of its records; those of several threads share runs.
        var batches = BatchOptions.builder().padded(true).build();
        Embedder embedder = Embedder.of(session.batched(batches), Tokenizer.read(folder.resolve("tokenizer.json")));
        var streams = new KafkaStreams(VectorTopology.of(embedder), properties(arguments[0]));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            streams.close();
            engine.close();
        }));
        streams.start();
    }

    private static Properties properties(String brokers) {
        var properties = new Properties();
        properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "vectors");
        properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
        properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 4);
        properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        return properties;
    }
}
