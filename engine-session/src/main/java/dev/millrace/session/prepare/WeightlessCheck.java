package dev.millrace.session.prepare;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.WeightlessMode;
import dev.millrace.providers.spi.WeightlessSupport;
import java.util.List;

/**
 * Holds what providers say of context binaries without weights against what is asked for: before they are made, by what
 * their devices tell, and once they are. A provider that says nothing may take part for as long as it compiles nothing.
 */
final class WeightlessCheck {
    private final WeightlessMode mode;
    private final Notes notes;
    private boolean anybody;

    WeightlessCheck(WeightlessMode mode, Notes notes) {
        this.mode = mode;
        this.notes = notes;
    }

    private boolean isAsked() {
        return mode != WeightlessMode.NONE;
    }

    /** Throws (EP_FAIL) where devices tell of their provider that it cannot do what is asked for. */
    void before(ProviderFactory factory, List<ProviderDevice> devices) {
        for (ProviderDevice device : devices) {
            String said = WeightlessSupport.saidBy(device.metadata());
            if (isAsked() && said != null && !WeightlessSupport.of(said).covers(mode)) {
                throw new EngineException(
                        Status.EP_FAIL,
                        "provider '" + factory.name() + "' cannot make context binaries of weightless mode "
                                + mode.code() + " (" + mode + "): what it supports is '" + said + "'");
            }
            anybody |= said != null;
        }
    }

    /** Throws where a provider does less than its devices tell, and is asked for more. */
    void after(ExecutionProvider provider, List<ProviderDevice> devices) {
        WeightlessSupport support = provider.weightlessSupport();
        for (ProviderDevice device : devices) {
            String said = WeightlessSupport.saidBy(device.metadata());
            if (said == null || support.text().equals(said)) {
                continue;
            }
            String mismatch = "the devices of provider '" + provider.name() + "' tell of weightless support '" + said
                    + "', and the provider itself of '" + support.text() + "'";
            if (!support.covers(mode)) {
                throw refusal(provider, mode, "; " + mismatch);
            }
            notes.add(mismatch);
            return;
        }
    }

    /** Throws (EP_FAIL) where nobody among the providers can do what is asked for. */
    void all() {
        if (isAsked() && !anybody) {
            throw new EngineException(
                    Status.EP_FAIL,
                    "none of the providers that take part makes context binaries of weightless mode " + mode.code()
                            + " (" + mode + ")");
        }
    }

    /** Throws where a provider is to compile that cannot do what is asked for. */
    static void compiling(ExecutionProvider provider, WeightlessMode mode) {
        if (!provider.weightlessSupport().covers(mode)) {
            throw refusal(provider, mode, "");
        }
    }

    /** NOT_IMPLEMENTED for a provider without any weightless mode, EP_FAIL for one that has another. */
    private static EngineException refusal(ExecutionProvider provider, WeightlessMode mode, String more) {
        WeightlessSupport support = provider.weightlessSupport();
        boolean hasNone = support == WeightlessSupport.NONE;
        return new EngineException(
                hasNone ? Status.NOT_IMPLEMENTED : Status.EP_FAIL,
                "provider '" + provider.name() + "' compiles parts of the model, and "
                        + (hasNone ? "does not implement" : "supports '" + support.text() + "', which does not cover")
                        + " weightless mode " + mode.code() + " (" + mode + ")" + more);
    }
}
