package dev.millrace.bench.serve;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;

/**
 * The load that a process is to serve.
 *
 * @param copies the number of sessions of each model
 * @param callers the threads that call ONNX Runtime; without them each client blocks
 * @param threads the threads that each side may use; 0 for its own default
 */
record Orders(
        ServeSide side, double seconds, int clients, int copies, int callers, int threads, List<ServedFiles> files) {
    private static final double MILLIS = 1e3;
    private static final int FIRST_FILE = 6;

    /** Returns the orders as the arguments of a process. */
    Object[] toArguments() {
        var arguments = new ArrayList<Object>(List.of(side, seconds, clients, copies, callers, threads));
        files.forEach(each -> arguments.addAll(List.of(each.model(), each.inputs())));
        return arguments.toArray();
    }

    static Orders of(String... arguments) {
        var files = new ArrayList<ServedFiles>();
        for (int i = FIRST_FILE; i < arguments.length; i += 2) {
            files.add(new ServedFiles(Path.of(arguments[i]), Path.of(arguments[i + 1])));
        }
        int[] numbers = Arrays.stream(arguments, 2, FIRST_FILE)
                .mapToInt(Integer::parseInt)
                .toArray();
        return new Orders(
                ServeSide.valueOf(arguments[0]),
                Double.parseDouble(arguments[1]),
                numbers[0],
                numbers[1],
                numbers[2],
                numbers[3],
                files);
    }

    /**
     * Opens a server of all copies, each of which has answered once: session {@code i} is of
     * model {@code i % files.size()}.
     */
    Server open() throws Exception {
        var sessions = new ArrayList<ServedFiles>();
        for (int copy = 0; copy < copies; copy++) {
            sessions.addAll(files);
        }
        Server server = side == ServeSide.OURS
                ? new OurServer(sessions, threads)
                : new OnnxRuntimeServer(sessions, callers, side == ServeSide.ONNX_RUNTIME_SHARED, threads);
        var firstAnswers = new CountDownLatch(sessions.size());
        for (int i = 0; i < sessions.size(); i++) {
            server.begin(i, _ -> firstAnswers.countDown());
        }
        firstAnswers.await();
        return server;
    }

    int sessions() {
        return copies * files.size();
    }

    /** Returns the session of each client, such that all have equally many, except a remainder. */
    int[] sessionsOfClients() {
        int[] sessions = new int[clients];
        Arrays.setAll(sessions, i -> i % sessions());
        return sessions;
    }

    /** Waits for a part of the measured time, in which clients are at work. */
    void await(double part) throws InterruptedException {
        Thread.sleep((long) (seconds * part * MILLIS));
    }

    /** Prints a line of numbers. */
    static void say(long... numbers) {
        System.out.println(
                String.join(" ", LongStream.of(numbers).mapToObj(Long::toString).toList()));
    }

    /** Prints the first failure, because only the number of failures is passed on. */
    static void complain(Load load) {
        Throwable failure = load.firstFailure();
        if (failure != null) {
            System.err.println("millrace: " + load.failures() + " requests failed, the first of them so: " + failure);
        }
    }
}
