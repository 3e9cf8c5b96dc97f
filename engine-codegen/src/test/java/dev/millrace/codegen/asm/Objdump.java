package dev.millrace.codegen.asm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** GNU objdump, the independent reader of our machine code. */
final class Objdump {
    /** One disassembled instruction. */
    record Line(int offset, String text) {}

    private Objdump() {}

    static boolean available() {
        try {
            return new ProcessBuilder("objdump", "--version")
                            .redirectErrorStream(true)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException absent) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    static List<Line> disassemble(byte[] code) {
        try {
            Path file = Files.createTempFile("millrace", ".bin");
            try {
                Files.write(file, code);
                return read(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Line> read(Path file) throws IOException {
        Process process = new ProcessBuilder(
                        "objdump",
                        "-D",
                        "-b",
                        "binary",
                        "-mi386:x86-64",
                        "-Mintel",
                        "--no-show-raw-insn",
                        file.toString())
                .redirectErrorStream(true)
                .start();
        List<Line> lines = new ArrayList<>();
        try (BufferedReader reader = process.inputReader()) {
            for (String line; (line = reader.readLine()) != null; ) {
                int colon = line.indexOf(":\t");
                if (colon >= 0 && line.startsWith(" ")) {
                    int offset = Integer.parseInt(line.substring(0, colon).trim(), 16);
                    lines.add(new Line(offset, normal(line.substring(colon + 2))));
                }
            }
        }
        return lines;
    }

    /** Without comments and encoding prefixes, and with broadcasts as binutils writes them from 2.38 on. */
    private static String normal(String text) {
        int comment = text.indexOf('#');
        String bare = comment < 0 ? text : text.substring(0, comment);
        bare = bare.replace("{evex} ", "").replace("{vex} ", "").trim();
        int space = bare.indexOf(' ');
        if (space > 0) {
            bare = bare.substring(0, space) + ' ' + bare.substring(space).trim();
        }
        int old = bare.indexOf("{1to");
        if (old > 0) {
            bare = bare.substring(0, old) + bare.substring(bare.indexOf('}', old) + 1);
            bare = bare.replace("WORD PTR [", "WORD BCST [");
        }
        return bare;
    }
}
