package ai.djl.huggingface.tokenizers.jni;

/** The place of a token in its text, in code points. */
public class CharSpan {
    private final int start;
    private final int end;

    public CharSpan(int start, int end) {
        this.start = start;
        this.end = end;
    }

    public int getStart() {
        return start;
    }

    public int getEnd() {
        return end;
    }
}
