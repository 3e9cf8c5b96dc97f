package dev.millrace.bench.generate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The command {@code llama-bench} of llama.cpp, which measures a GGUF file. */
final class LlamaBench {
    private final List<String> command;
    private final Path file;

    /** @param command the command and its first arguments, separated by spaces */
    LlamaBench(String command, Path file) {
        this.command = Arrays.asList(command.split(" "));
        this.file = file;
    }

    /** Returns the tokens per second of reading a prompt. */
    double prefill(int threads, int prompt) throws IOException, InterruptedException {
        return rate(threads, "-p", String.valueOf(prompt), "-n", "0");
    }

    /** Returns the tokens per second of generating behind a context. */
    double decode(int threads, int context, int tokens) throws IOException, InterruptedException {
        return rate(threads, "-p", "0", "-n", String.valueOf(tokens), "-d", String.valueOf(context));
    }

    private double rate(int threads, String... test) throws IOException, InterruptedException {
        var words = new ArrayList<>(command);
        words.addAll(List.of("-m", file.toString(), "-t", String.valueOf(threads), "-r", "2", "-o", "csv"));
        words.addAll(List.of(test));
        Process process = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        List<String> lines = text.lines().filter(line -> line.contains(",")).toList();
        if (code != 0 || lines.size() < 2) {
            throw new IOException(command + " ended with " + code + " and measured nothing");
        }
        List<String> head = Arrays.asList(lines.getFirst().split(","));
        String[] row = lines.getLast().split(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)");
        return Double.parseDouble(row[head.indexOf("avg_ts")].replace("\"", ""));
    }
}
