package dev.millrace.bench.server;

import dev.millrace.bench.compare.ScratchFolder;
import dev.millrace.bench.nets.Rectifier;
import dev.millrace.bench.nets.SmallSum;
import dev.millrace.cli.ModelArgument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A repository of the models that are served. */
final class ServedFolder implements AutoCloseable {
    static final String SUM = "add8";
    static final String SENTENCES = "minilm";
    static final String SPEECH = "silero";

    private static final String SPEECH_CONFIG = """
        sequence_batching {
          max_sequence_idle_microseconds: 60000000
          state { input_name: "state" output_name: "stateN" data_type: TYPE_FP32 dims: [2, 1, 128]
            initial_state { name: "silence" data_type: TYPE_FP32 dims: [2, 1, 128] zero_data: true } }
        }
        """;

    private final ScratchFolder folder;

    ServedFolder() throws IOException {
        folder = new ScratchFolder("millrace-server");
    }

    /** Adds the sum of 8 floats and 8 floats. */
    ServedFolder sum() throws IOException {
        Files.move(SmallSum.in(folder(SUM)), file(path(), SUM));
        return this;
    }

    /** Adds MiniLM. */
    ServedFolder sentences() throws IOException {
        folder(SENTENCES);
        Files.createSymbolicLink(file(path(), SENTENCES), sentenceModel());
        return this;
    }

    /** Adds MiniLM, whose requests wait so long for others that one run answers with them. */
    ServedFolder sentences(int mostRows, long delayMicros) throws IOException {
        sentences();
        config(
                SENTENCES,
                "max_batch_size: %d%ndynamic_batching { max_queue_delay_microseconds: %d }%n"
                        .formatted(mostRows, delayMicros));
        return this;
    }

    /** Adds a copy of MiniLM that shares nothing with the others. */
    ServedFolder copy(int number) throws IOException {
        String name = SENTENCES + number;
        folder(name);
        Files.copy(sentenceModel(), file(path(), name));
        return this;
    }

    /** Adds Silero VAD, whose requests follow each other in sequences. */
    ServedFolder speech() throws IOException {
        folder(SPEECH);
        Files.createSymbolicLink(
                file(path(), SPEECH), ModelArgument.of("silero-vad").file().toAbsolutePath());
        config(SPEECH, SPEECH_CONFIG);
        return this;
    }

    /** Adds a model that answers so many floats with as many. */
    ServedFolder floats(long length) throws IOException {
        folder(floatsName(length));
        Rectifier.write(file(path(), floatsName(length)), length);
        return this;
    }

    static String floatsName(long length) {
        return "floats" + length;
    }

    private static Path sentenceModel() {
        return ModelArgument.of(SENTENCES).file().toAbsolutePath();
    }

    private void config(String model, String text) throws IOException {
        Files.writeString(path().resolve(model, "config.pbtxt"), text);
    }

    private Path folder(String model) throws IOException {
        Path file = file(path(), model);
        return Files.createDirectories(file.resolveSibling("."));
    }

    Path path() {
        return folder.path();
    }

    /** Returns the file of a model's only version. */
    static Path file(Path repository, String model) {
        return repository.resolve(model, "1", "model.onnx");
    }

    @Override
    public void close() throws IOException {
        folder.close();
    }
}
