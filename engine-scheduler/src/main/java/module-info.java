/// Devices, memory, streams, notifications and frames.
module dev.millrace.scheduler {
    requires transitive dev.millrace.graph;
    requires org.agrona;
    requires jdk.jfr;
    requires static transitive org.jspecify;

    exports dev.millrace.scheduler;
    exports dev.millrace.scheduler.device;
    exports dev.millrace.scheduler.event;
    exports dev.millrace.scheduler.kernel;
    exports dev.millrace.scheduler.plan;
    exports dev.millrace.scheduler.pool;
    exports dev.millrace.scheduler.run;
}
