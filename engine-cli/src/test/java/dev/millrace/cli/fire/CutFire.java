package dev.millrace.cli.fire;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A JVM of its own in which mapped files are cut short under sessions that read them: each run answers right or says what
 * happened, none after the cut, and the session of another file goes on.
 */
final class CutFire {
    private static final int WIDTH = 64;
    private static final int ROWS = 200;
    private static final int RUNS = 12;

    private final Random random;
    private final int words;
    private final SessionOptions options;
    private int answered;
    private int refused;

    private CutFire(long seed, String provider, int words) {
        random = new Random(seed);
        this.words = words;
        options = SessionOptions.builder()
                .fileUse(FileUse.MAP)
                .provider(provider)
                .provider("cpu".equals(provider) ? "simd" : "cpu")
                .build();
    }

    /** @param arguments the kind of file, the provider, how often, how many rows of weights, the seed, and a folder */
    public static void main(String[] arguments) throws Exception {
        int tries = Integer.parseInt(arguments[2]);
        var fire = new CutFire(Long.parseLong(arguments[4]), arguments[1], Integer.parseInt(arguments[3]));
        try (Engine engine = Engine.create(EngineOptions.builder().threads(2).build())) {
            fire.go(engine, arguments[0], tries, Path.of(arguments[5]));
        }
        System.out.println(arguments[0] + " of " + arguments[1] + ": " + tries + " tries, " + fire.answered
                + " answered, " + fire.refused + " refused");
    }

    /** Weights that are read where they lie, at places that differ from run to run, and others that are packed. */
    private byte[] model() {
        Net net = Net.named("words");
        Value found = net.op("Gather", net.weights(words, WIDTH), net.input("ids", ElementType.INT64, "rows"));
        Value hidden = net.op("Relu", net.op("MatMul", found, net.weights(WIDTH, WIDTH)));
        return net.output(net.op("Add", hidden, net.weights(WIDTH))).bytes();
    }

    private void go(Engine engine, String kind, int tries, Path folder) throws Exception {
        byte[] model = model();
        Path pristine = Files.createDirectory(folder.resolve("pristine"));
        String victim = write(engine, kind, model, pristine);
        try (Session right = engine.session(pristine.resolve("model.onnx"), options)) {
            for (int i = 0; i < tries; i++) {
                Path place = copy(pristine, folder.resolve("try" + i));
                attempt(engine, right, place.resolve("model.onnx"), place.resolve(victim));
                remove(place);
            }
        }
    }

    /** Writes a model as {@code model.onnx}; the name of the file to cut. */
    private String write(Engine engine, String kind, byte[] model, Path folder) throws IOException {
        Path file = folder.resolve("model.onnx");
        switch (kind) {
            case "model" -> Files.write(file, model);
            case "data" -> Models.write(Models.read(model, null), file, WriteOptions.externalData("model.data"));
            case "context" -> {
                Path source = Files.write(folder.resolveSibling("source.onnx"), model);
                var keeping = EpContextOptions.builder()
                        .enable(true)
                        .filePath(file)
                        .embedMode(0)
                        .build();
                engine.session(
                                source,
                                SessionOptions.builder().epContext(keeping).build())
                        .close();
            }
            default -> throw new IllegalArgumentException(kind);
        }
        try (var files = Files.list(folder)) {
            return files.map(each -> each.getFileName().toString())
                    .filter(name -> !name.equals("model.onnx"))
                    .findFirst()
                    .orElse("model.onnx");
        }
    }

    private void attempt(Engine engine, Session right, Path model, Path victim) throws Exception {
        long left = left(Files.size(victim));
        long nanos = random.nextInt(5_000_000);
        // some while the session is made, most while it runs
        var begun = new CountDownLatch(random.nextInt(4));
        var cut = new AtomicBoolean();
        Thread spoiler = Thread.ofPlatform().start(() -> {
            await(begun);
            pause(nanos);
            cut(victim, left);
            cut.set(true);
        });
        try (Session session = engine.session(model, options)) {
            begun.countDown();
            for (int run = 0; run < RUNS || !cut.get(); run++) {
                boolean late = cut.get();
                boolean answers = run(session, right);
                begun.countDown();
                require(!answers || !late, "a session of a file that was cut short answers");
            }
        } catch (EngineException e) {
            refused++;
        } finally {
            while (begun.getCount() > 0) {
                begun.countDown();
            }
            spoiler.join();
        }
    }

    private boolean run(Session session, Session right) {
        Inputs inputs = inputs();
        float[] expected = answer(right, inputs);
        try {
            int mismatch = Arrays.mismatch(answer(session, inputs), expected);
            require(mismatch < 0, "a wrong answer, from number " + mismatch + " on");
            answered++;
            return true;
        } catch (EngineException e) {
            require(
                    e.status() == Status.INVALID_GRAPH
                            && String.valueOf(e.getMessage()).contains("was cut short while it was in use"),
                    e.toString());
            refused++;
            return false;
        }
    }

    private static float[] answer(Session session, Inputs inputs) {
        try (Outputs outputs = session.run(inputs)) {
            return outputs.get(0).floats();
        }
    }

    private Inputs inputs() {
        return Inputs.of("ids", Tensor.copyOf(random.longs(ROWS, 0, words).toArray(), ROWS));
    }

    /** Anything from nothing to all but the last byte. */
    private long left(long size) {
        return switch (random.nextInt(4)) {
            case 0 -> size - 1 - random.nextInt(100);
            case 1 -> size - random.nextInt(20_000) - 1;
            case 2 -> random.nextLong(size) / 4096 * 4096;
            default -> random.nextLong(size);
        };
    }

    private static void cut(Path file, long left) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(left);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private static Path copy(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        try (var files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        return to;
    }

    private static void remove(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
