package dev.laneway.testkit.sim;

import dev.laneway.testkit.ContractCluster;
import dev.laneway.testkit.RebalanceContract;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Contract on the simulation: rebalances")
class SimRebalanceContractTest extends RebalanceContract {
    @Override
    public ContractCluster connect() {
        return new SimContractCluster();
    }
}
