package dev.millrace.providers.simd.lower;

/** How the nodes of some operators become steps. */
@FunctionalInterface
public interface Rule {
    /**
     * Lowers a node: every output that is read gets a view, or becomes pending.
     *
     * @return false where these types or shapes are not the rule's; nothing has been done then
     */
    boolean lower(LoweringContext op);
}
