package dev.millrace.codegen.asm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Constants that stand after the code and are read relative to it. */
final class ConstantPool {
    private record Entry(int[] words, Label label) {}

    private final List<Entry> entries = new ArrayList<>();

    Mem place(int[] words) {
        int count = words.length;
        if (Integer.bitCount(count) != 1 || count > 16) {
            throw new IllegalArgumentException("a constant has 1, 2, 4, 8 or 16 words, not " + count);
        }
        for (Entry entry : entries) {
            if (Arrays.equals(entry.words, words)) {
                return Mem.at(entry.label);
            }
        }
        Entry entry = new Entry(words.clone(), new Label());
        entries.add(entry);
        return Mem.at(entry.label);
    }

    /** The widest first, so that one alignment at the start aligns all. */
    void emit(Assembler assembler, CodeBuffer code) {
        if (entries.isEmpty()) {
            return;
        }
        assembler.align(64);
        for (int count = 16; count >= 1; count /= 2) {
            for (Entry entry : entries) {
                if (entry.words.length == count) {
                    entry.label.bind(code);
                    for (int word : entry.words) {
                        code.putInt(word);
                    }
                }
            }
        }
    }
}
