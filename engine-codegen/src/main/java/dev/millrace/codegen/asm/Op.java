package dev.millrace.codegen.asm;

import org.jspecify.annotations.Nullable;

/** An instruction by its mnemonic, with the rows of the table that say how it is encoded. */
public final class Op {
    private final String mnemonic;
    private final String[] rows;
    private Form @Nullable [] forms;

    private Op(String mnemonic, String[] rows) {
        this.mnemonic = mnemonic;
        this.rows = rows;
    }

    /** @param rows in the notation of {@link Form}, the preferred ones first */
    static Op op(String mnemonic, String... rows) {
        return new Op(mnemonic, rows);
    }

    public String mnemonic() {
        return mnemonic;
    }

    /**
     * Parsed at the first use: a process needs few of the instructions. Two threads may do it twice to the same end.
     */
    Form[] forms() {
        Form[] known = forms;
        if (known == null) {
            known = Form.parse(rows);
            forms = known;
        }
        return known;
    }

    @Override
    public String toString() {
        return mnemonic;
    }
}
