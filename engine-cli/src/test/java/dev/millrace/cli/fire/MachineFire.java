package dev.millrace.cli.fire;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

/** A JVM of its own in which memory and files go away under machine code. That it lives to its end is what counts. */
final class MachineFire {
    private static final int WIDTH = 96;
    private static final int ROWS = 2_048;

    private final Random random;
    private int answered;
    private int refused;

    private MachineFire(long seed) {
        random = new Random(seed);
    }

    /** @param arguments what goes away, how often, the seed, and a folder */
    public static void main(String[] arguments) throws Exception {
        int tries = Integer.parseInt(arguments[1]);
        var fire = new MachineFire(Long.parseLong(arguments[2]));
        Path folder = Path.of(arguments[3]);
        try (Engine engine = Engine.create(EngineOptions.builder().threads(2).build())) {
            switch (arguments[0]) {
                case "arenas" -> fire.arenas(engine, tries);
                case "interrupts" -> fire.interrupts(engine, tries);
                case "replaced" -> fire.files(engine, tries, folder, false);
                case "truncated" -> fire.files(engine, tries, folder, true);
                default -> throw new IllegalArgumentException(arguments[0]);
            }
        }
        System.out.println(
                arguments[0] + ": " + tries + " tries, " + fire.answered + " answered, " + fire.refused + " refused");
    }

    private static byte[] model() {
        Net net = Net.named("wide");
        Value x = net.floats("x", "rows", WIDTH);
        for (int i = 0; i < 3; i++) {
            x = net.op("Relu", net.op("Add", net.op("MatMul", x, net.weights(WIDTH, WIDTH)), net.weights(WIDTH)));
        }
        return net.output(net.op("Softmax", x)).bytes();
    }

    private static Tensor input(Arena arena, int rows) {
        Shape shape = Shape.of(rows, WIDTH);
        return Tensor.wrap(ElementType.FLOAT, shape, arena.allocate(4 * shape.elements(), 64));
    }

    private void run(Session session, Tensor input) {
        try (Outputs outputs = session.run(Inputs.of("x", input))) {
            outputs.get(0);
            answered++;
        } catch (EngineException e) {
            refused++;
        }
    }

    private static void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private void arenas(Engine engine, int tries) throws InterruptedException {
        try (Session session = engine.session(model(), SessionOptions.defaults())) {
            for (int i = 0; i < tries; i++) {
                Arena arena = Arena.ofShared();
                Tensor input = input(arena, 1 + random.nextInt(ROWS));
                long nanos = random.nextInt(3_000_000);
                Thread closer = Thread.ofPlatform().start(() -> {
                    pause(nanos);
                    while (arena.scope().isAlive()) {
                        try {
                            arena.close();
                        } catch (IllegalStateException held) {
                            Thread.onSpinWait();
                        }
                    }
                });
                run(session, input);
                if (Thread.interrupted()) {
                    throw new IllegalStateException("a run on memory that was closed leaves its thread interrupted");
                }
                closer.join();
            }
        }
    }

    private void interrupts(Engine engine, int tries) throws InterruptedException {
        try (Session session = engine.session(model(), SessionOptions.defaults())) {
            Tensor input = input(Arena.ofAuto(), ROWS / 4);
            for (int done = 0; done < tries; ) {
                var threads = new ArrayList<Thread>();
                for (int i = 0; i < 4; i++, done++) {
                    Thread.Builder kind = i % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
                    threads.add(
                            kind.start(() -> session.run(Inputs.of("x", input)).close()));
                }
                pause(random.nextInt(500_000));
                threads.forEach(Thread::interrupt);
                for (Thread thread : threads) {
                    thread.join();
                }
                run(session, input);
            }
        }
    }

    /** Sessions of a model and of its context, whose files are deleted and replaced, or cut short where they lie. */
    private void files(Engine engine, int tries, Path folder, boolean inPlace) throws Exception {
        byte[] model = model();
        Tensor input = input(Arena.ofAuto(), 64);
        for (int i = 0; i < tries; i++) {
            Path place = Files.createDirectory(folder.resolve("try" + i));
            List<Path> files = written(engine, place, model);
            var opened = new AtomicBoolean();
            try (Session session = engine.session(files.get(i % 2), SessionOptions.defaults())) {
                long nanos = random.nextInt(2_000_000);
                Thread spoiler = Thread.ofPlatform().start(() -> {
                    while (!opened.get()) {
                        Thread.onSpinWait();
                    }
                    pause(nanos);
                    files.forEach(file -> spoil(file, inPlace));
                });
                opened.set(true);
                for (int run = 0; run < 20; run++) {
                    run(session, input);
                }
                spoiler.join();
                run(session, input(Arena.ofAuto(), 65));
            }
        }
    }

    private static List<Path> written(Engine engine, Path place, byte[] model) throws IOException {
        Path source = Files.write(place.resolve("model.onnx"), model);
        Path context = place.resolve("model_ctx.onnx");
        var options = SessionOptions.builder()
                .epContext(EpContextOptions.builder()
                        .enable(true)
                        .filePath(context)
                        .embedMode(0)
                        .build())
                .build();
        engine.session(source, options).close();
        var all = new ArrayList<Path>(List.of(source, context));
        try (var files = Files.list(place)) {
            files.filter(file -> file.toString().endsWith(".bin")).forEach(all::add);
        }
        return all;
    }

    private static void spoil(Path file, boolean inPlace) {
        try {
            if (inPlace) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(channel.size() / 3);
                }
            } else {
                Path other = Files.write(file.resolveSibling(file.getFileName() + ".new"), new byte[100]);
                Files.move(other, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
