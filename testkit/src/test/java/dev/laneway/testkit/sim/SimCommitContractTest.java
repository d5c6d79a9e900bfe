package dev.laneway.testkit.sim;

import dev.laneway.testkit.CommitContract;
import dev.laneway.testkit.ContractCluster;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Contract on the simulation: commits")
class SimCommitContractTest extends CommitContract {
    @Override
    public ContractCluster connect() {
        return new SimContractCluster();
    }
}
