package dev.millrace.scheduler.plan;

import java.util.List;

/** The plan of a nested graph, and which slots of the plan around it are which of its own. */
public record NestedPlan(Plan plan, List<Capture> captures) {
    /** A value of the outer plan that the nested graph reads. */
    public record Capture(int outerSlot, int innerSlot) {}

    public NestedPlan {
        captures = List.copyOf(captures);
    }
}
