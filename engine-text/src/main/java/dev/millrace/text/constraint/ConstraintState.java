package dev.millrace.text.constraint;

import dev.millrace.graph.EngineException;
import dev.millrace.session.generate.TokenConstraint;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** The state of one generation whose answer a {@link Matcher} follows. */
public final class ConstraintState implements TokenConstraint.State {
    private final Matcher matcher;
    private final boolean isBound;
    private byte[] pending;
    private boolean isFirst;
    private Position at;
    private @Nullable BitSet allowed;

    /**
     * @param isBound whether the answer is a text of the matcher; if not, any token may follow behind the pending bytes
     * @param pending bytes that stand before the answer
     * @param isFirst whether the first token stands at the beginning of a whole text
     */
    public ConstraintState(Matcher matcher, boolean isBound, byte[] pending, boolean isFirst) {
        this.matcher = matcher;
        this.isBound = isBound;
        this.pending = pending;
        this.isFirst = isFirst && matcher.table().losesFirst();
        this.at = matcher.start();
    }

    private boolean isFree() {
        return !isBound && pending.length == 0;
    }

    @Override
    public @Nullable BitSet allowed() {
        if (isFree()) {
            return null;
        }
        if (pending.length == 0 && !isFirst) {
            return matcher.tokens(at);
        }
        BitSet made = allowed;
        if (made == null) {
            made = matcher.tokens(at, pending, isFirst);
            allowed = made;
        }
        return made;
    }

    @Override
    public boolean mayEnd() {
        return pending.length == 0 && (!isBound || at.isEnd);
    }

    @Override
    public void accept(long token) {
        if (isFree()) {
            return;
        }
        byte[] bytes = matcher.table().bytes(token, isFirst);
        int same = bytes == null ? 0 : Math.min(bytes.length, pending.length);
        if (bytes == null || bytes.length == 0 || !Arrays.equals(bytes, 0, same, pending, 0, same)) {
            throw refused(token);
        }
        pending = Arrays.copyOfRange(pending, same, pending.length);
        isFirst = false;
        allowed = null;
        at = matcher.behind(at, bytes, same);
        if (at.isDead()) {
            throw refused(token);
        }
    }

    private static EngineException refused(long token) {
        return EngineException.invalidArgument("token " + token + " is none that the constraint allows here");
    }
}
