"""``python -m learner.policies``: the networks and their sizes."""

from learner.agent import Agent

for _name, _network in Agent(0).networks.items():
    _size = sum(parameter.numel() for parameter in _network.parameters())
    print(f"{_name:12} {_size:7,} parameters")
    for _key, _parameter in _network.named_parameters():
        print(f"  {_key:26} {_parameter.shape}")
