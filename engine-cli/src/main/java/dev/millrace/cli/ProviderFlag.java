package dev.millrace.cli;

import dev.millrace.session.SessionOptions;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The flag of every command that lets providers be chosen. */
public final class ProviderFlag {
    @Option(
            names = "--provider",
            paramLabel = "NAME",
            split = ",",
            description = "A provider to use, in the order in which they are asked; by default all there are.")
    private List<String> names = new ArrayList<>();

    /** The providers in the order in which they are asked; none for all there are. */
    public List<String> names() {
        return names;
    }

    /** Sets the providers of a session. */
    public void addTo(SessionOptions.Builder options) {
        names.forEach(options::provider);
    }
}
